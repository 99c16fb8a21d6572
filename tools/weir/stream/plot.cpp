// SPDX-License-Identifier: Apache-2.0

#include "stream/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace weir::tool {
namespace {

constexpr int kTics = 8;  // of the axis of threads, about
constexpr int kColumns = 2, kWidth = 560, kHeight = 340;
constexpr int kKeyLine = 18;  // of the key below each panel

std::string series_of(const SweepRow& row) {
  return fmt::format("{}, {}, {}", to_string(row.stream.loop), to_string(row.point.place), to_string(row.point.stores));
}

// Each of what `name` gives, once, in the order of the rows.
template <class Name>
std::vector<std::string> each(std::span<const SweepRow> rows, Name name) {
  std::vector<std::string> names;
  for (const SweepRow& row : rows) {
    if (const std::string one = name(row); std::find(names.begin(), names.end(), one) == names.end())
      names.push_back(one);
  }
  return names;
}

bool sweeps_threads(std::span<const SweepRow> rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const SweepRow& row) {
    return row.point.threads != rows.front().point.threads && where_text(row.point) == where_text(rows.front().point);
  });
}

// Of all panels; the key has its own room below each, a line for each series.
std::string settings_for(std::size_t series) {
  return fmt::format(
      "set grid ytics\nset yrange [0:*]\nset ylabel 'GB/s'\n"
      "set key outside bottom center vertical maxrows {} noenhanced\n",
      series);
}

int height_of(std::size_t series) { return kHeight + kKeyLine * static_cast<int>(series); }

std::string line_data(std::span<const SweepRow> rows, const std::string& where, const std::string& series) {
  std::string text;
  for (const SweepRow& row : rows) {
    if (where_text(row.point) == where && series_of(row) == series)
      text += fmt::format("{} {:.4f}\n", row.point.threads, row.stream.best_gb_per_s);
  }
  return text;
}

base::Drawing lines(std::span<const SweepRow> rows) {
  const auto panels = each(rows, [](const SweepRow& row) { return where_text(row.point); });
  const auto all = each(rows, series_of);
  const int columns = std::min(kColumns, int(panels.size())), down = (int(panels.size()) + columns - 1) / columns;
  std::string data, plots;
  for (std::size_t p = 0; p < panels.size(); ++p) {
    plots += fmt::format("set title '{}' noenhanced\nplot ", panels[p]);
    for (std::size_t s = 0; s < all.size(); ++s) {
      const std::string points = line_data(rows, panels[p], all[s]);
      if (points.empty()) continue;
      data += fmt::format("$p{}s{} << EOD\n{}EOD\n", p, s, points);
      plots += fmt::format("{}$p{}s{} with linespoints title '{}'", plots.ends_with("plot ") ? "" : ", ", p, s, all[s]);
    }
    plots += "\n";
  }
  int most = 1;
  for (const SweepRow& row : rows) most = std::max(most, int(row.point.threads));
  return {kWidth * columns, height_of(all.size()) * down,
          data + settings_for(all.size()) +
              fmt::format("set xlabel 'threads'\nset xtics {}\nset multiplot layout {},{}\n{}unset multiplot\n",
                          std::max(most / kTics, 1), down, columns, plots)};
}

base::Drawing boxes(std::span<const SweepRow> rows) {
  const auto places = each(rows, [](const SweepRow& row) { return where_text(row.point); });
  const auto all = each(rows, series_of);
  std::string data = "$boxes << EOD\nwhere";
  for (const std::string& series : all) data += fmt::format(" \"{}\"", series);
  for (const std::string& place : places) {
    data += fmt::format("\n\"{}\"", place);
    for (const std::string& series : all) {
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const SweepRow& r) {
        return where_text(r.point) == place && series_of(r) == series;
      });
      data += row == rows.end() ? " NaN" : fmt::format(" {:.4f}", row->stream.best_gb_per_s);
    }
  }
  return {std::max(kWidth, 120 * int(places.size())), height_of(all.size()),
          data + "\nEOD\n" + settings_for(all.size()) +
              fmt::format("set style data histograms\nset style histogram clustered gap 1\nset style fill solid 0.9\n"
                          "set xtics rotate by -25 noenhanced\n"
                          "plot for [i=2:{}] $boxes using i:xtic(1) title columnheader(i)\n",
                          all.size() + 1)};
}

}  // namespace

base::Drawing stream_plot(std::span<const SweepRow> rows) { return sweeps_threads(rows) ? lines(rows) : boxes(rows); }

}  // namespace weir::tool
