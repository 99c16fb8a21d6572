// SPDX-License-Identifier: Apache-2.0

#include "bench/report/bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace weir::bench {
namespace {

// A word of the numbers, whatever is in the name.
std::string in_quotes(std::string name) {
  std::replace(name.begin(), name.end(), '"', '\'');
  std::replace(name.begin(), name.end(), '\n', ' ');
  return '"' + name + '"';
}

}  // namespace

void Bars::add(const std::string& row, std::size_t column, double value) {
  auto at = std::find_if(rows_.begin(), rows_.end(), [&](const Row& each) { return each.name == row; });
  if (at == rows_.end())
    at = rows_.insert(rows_.end(),
                      {row, std::vector<double>(columns_.size(), std::numeric_limits<double>::quiet_NaN())});
  at->values[column] = value;
}

std::string Bars::log_range() const {
  double least = std::numeric_limits<double>::infinity();
  for (const Row& row : rows_)
    for (const double value : row.values)
      if (value > 0) least = std::min(least, value);
  return std::isinf(least) ? "set yrange [*:*]\n" : fmt::format("set yrange [{}:*]\n", least / 2);
}

std::string Bars::script(const std::string& name) const {
  std::vector<std::size_t> shown;
  for (std::size_t column = 0; column < columns_.size(); ++column)
    if (std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) { return !std::isnan(row.values[column]); }))
      shown.push_back(column);
  std::string text = fmt::format("${} << EOD\nrow", name), colours;
  for (const std::size_t column : shown) {
    text += " " + in_quotes(columns_[column]);
    colours += fmt::format(" {}", column + 1);
  }
  for (const Row& row : rows_) {
    text += "\n" + in_quotes(row.name);
    for (const std::size_t column : shown)
      text += std::isnan(row.values[column]) ? " NaN" : fmt::format(" {:.6g}", row.values[column]);
  }
  return text +
         fmt::format("\nEOD\nplot for [i=2:{}] ${} using i:xtic(1) title columnheader(i) lt word('{}', i - 1) + 0\n",
                     shown.size() + 1, name, colours);
}

}  // namespace weir::bench
