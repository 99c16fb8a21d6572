// SPDX-License-Identifier: Apache-2.0

#include "bench/report/metg_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/report/render.hpp"

namespace weir::bench {

namespace {

struct Column {
  int workers = 1;
  bool fresh = false;
};

bool is_metg(const Row& row) { return row.bench.starts_with(kMetgPrefix); }
bool is_fresh(const Row& row) { return row.bench.ends_with(kFreshSuffix); }

std::string pattern_of(const Row& row) {
  const std::size_t suffix = is_fresh(row) ? kFreshSuffix.size() : 0;
  return row.bench.substr(kMetgPrefix.size(), row.bench.size() - kMetgPrefix.size() - suffix);
}

// In the order of the rows, each once.
template <class Name>
std::vector<std::string> metg_names_of(std::span<const Row> rows, Name name) {
  std::vector<std::string> names;
  for (const Row& row : rows) {
    if (is_metg(row) && std::find(names.begin(), names.end(), name(row)) == names.end()) names.push_back(name(row));
  }
  return names;
}

std::vector<Column> columns_of(std::span<const Row> rows) {
  std::set<std::pair<int, bool>> found;
  for (const Row& row : rows) {
    if (is_metg(row)) found.insert({row.workers, is_fresh(row)});
  }
  std::vector<Column> columns;
  for (const auto& [workers, fresh] : found) columns.push_back({workers, fresh});
  return columns;
}

std::string cell_of(std::span<const Row> rows, const std::string& pattern, const std::string& runtime,
                    const Column& column) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) {
    return is_metg(r) && pattern_of(r) == pattern && r.runtime == runtime && r.workers == column.workers &&
           is_fresh(r) == column.fresh;
  });
  if (row == rows.end() || !row->unsupported.empty()) return "-";
  return row->has_value() ? median_text(*row) : "failed";
}

std::string heading_of(const std::vector<Column>& columns, std::size_t width) {
  std::string workers = fmt::format("{:<{}}", "METG(50 %), us", 18 + width), memory = std::string(18 + width, ' ');
  int last = 0;
  for (const Column& column : columns) {
    workers += fmt::format("{:>10}", column.workers == last ? "" : workers_text(column.workers));
    last = column.workers;
    memory += fmt::format("{:>10}", column.fresh ? "fresh" : "again");
  }
  workers.erase(workers.find_last_not_of(' ') + 1);
  return workers + "\n" + memory + "\n";
}

}  // namespace

std::string metg_table_of(std::span<const Row> rows) {
  const auto columns = columns_of(rows);
  if (columns.empty()) return "";
  const auto runtimes = metg_names_of(rows, [](const Row& row) { return row.runtime; });
  std::size_t width = 12;
  for (const std::string& runtime : runtimes) width = std::max(width, runtime.size() + 2);
  std::string text = heading_of(columns, width);
  for (const std::string& pattern : metg_names_of(rows, pattern_of)) {
    for (const std::string& runtime : runtimes) {
      text += fmt::format("  {:<16}{:<{}}", runtime == runtimes.front() ? pattern : "", runtime, width);
      for (const Column& column : columns) text += fmt::format("{:>10}", cell_of(rows, pattern, runtime, column));
      text += '\n';
    }
  }
  const bool any_fresh = std::any_of(columns.begin(), columns.end(), [](const Column& c) { return c.fresh; });
  if (!any_fresh) return text;
  return text + "again: cells that take turns; fresh: each task writes memory that was never named before\n";
}

}  // namespace weir::bench
