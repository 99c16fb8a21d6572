// SPDX-License-Identifier: Apache-2.0

#include "bench/report/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/common/median.hpp"
#include "platform/process.hpp"

namespace weir::bench {

namespace {

using apps::median;
using base::Status;
using Json = nlohmann::json;

void add_metg(Row& row, const Json& points) {
  std::vector<SweepPoint> sweep;
  for (const Json& point : points) sweep.push_back({point.at(0).get<double>(), point.at(1).get<double>()});
  const Metg found = metg(sweep);
  row.samples.push_back(found.ns / 1000);
  row.bounds.push_back(found.bound);
}

void add_fields(Row& row, const Json& fields) {
  if (fields.contains("unsupported")) {
    row.unsupported = fields.at("unsupported").get<std::string>();
    return;
  }
  row.unit = fields.at("unit").get<std::string>();
  if (fields.contains("points")) return add_metg(row, fields.at("points"));
  const auto walls = fields.at("wall").get<std::vector<double>>();
  row.samples.push_back(median(walls));
  row.worst = std::max(row.worst, *std::max_element(walls.begin(), walls.end()));
  if (fields.contains("cpu")) row.cpu_samples.push_back(median(fields.at("cpu").get<std::vector<double>>()));
  if (fields.contains("cold")) row.cold_samples.push_back(fields.at("cold").get<double>());
  if (fields.contains("line") && !fields.at("line").empty())
    row.line_samples.push_back(median(fields.at("line").get<std::vector<double>>()));
}

struct TableCell {
  Row row;
  std::vector<std::string> command;
};

std::vector<std::string> command_of(const Bench& bench, const Runner& runner, int workers, const Measurement& what) {
  const Amount& amount = what.amount;
  std::vector<std::string> words = runner.launcher;
  words.push_back(runner.path);
  words.insert(words.end(), runner.form.begin(), runner.form.end());
  words.push_back(bench.name);
  for (const long number : {long(workers / runner.ranks), amount.quick ? bench.quick_count : bench.count,
                            long(amount.repeat), long(amount.width)})
    words.push_back(std::to_string(number));
  if (!runner.launcher.empty()) words.push_back(std::to_string(what.processors));
  return words;
}

// Of a row without a value, too; what a runner says comes after it.
const char* unit_of(const Bench& bench) {
  if (bench.name.starts_with(kMetgPrefix)) return "us";
  return bench.title.find("bytes") != std::string::npos ? "bytes" : "ns";
}

TableCell cell_of(const Bench& bench, const Runner& runner, int workers, const Measurement& what) {
  TableCell cell;
  cell.row.bench = bench.name;
  cell.row.runtime = runner.runtime;
  cell.row.workers = workers;
  cell.row.unit = unit_of(bench);
  cell.command = command_of(bench, runner, workers, what);
  return cell;
}

// In the order of the table, which is also the order in which a round measures.
std::vector<TableCell> cells_of(const Measurement& what) {
  std::vector<TableCell> cells;
  for (const Bench& bench : what.benches) {
    for (const int workers : workers_of(bench, what.workers, what.processors)) {
      for (const Runner& runner : what.runners) cells.push_back(cell_of(bench, runner, workers, what));
    }
  }
  return cells;
}

}  // namespace

Summary summary_of(std::vector<double> samples) {
  const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
  return {median(samples), *least, *most};
}

Bound Row::bound() const noexcept {
  for (const Bound each : {Bound::above, Bound::below}) {
    if (2 * std::count(bounds.begin(), bounds.end(), each) > std::ssize(bounds)) return each;
  }
  return Bound::exact;
}

base::Status add_output(Row& row, const std::string& output) {
  try {
    add_fields(row, Json::parse(output));
    return Status::success();
  } catch (const Json::exception&) {
    return {base::Code::bad_input,
            fmt::format("weir-bench-{} printed no result: '{}'", row.runtime, output.substr(0, 100))};
  }
}

void compare_with_weir(std::span<Row> rows) {
  for (Row& row : rows) {
    const auto weir = std::find_if(rows.begin(), rows.end(), [&](const Row& r) {
      return r.runtime == "weir" && r.bench == row.bench && r.workers == row.workers;
    });
    if (weir == rows.end() || !weir->has_value() || !row.has_value()) continue;
    if (weir->bound() != Bound::exact || row.bound() != Bound::exact) continue;
    const double base = summary_of(weir->samples).median;
    if (base > 0) row.ratio = summary_of(row.samples).median / base;
  }
}

void compare_with_processors(std::span<Row> rows, int processors) {
  for (Row& row : rows) {
    if (row.workers <= processors || !row.has_value()) continue;
    const auto enough = std::find_if(rows.begin(), rows.end(), [&](const Row& r) {
      return r.runtime == row.runtime && r.bench == row.bench && r.workers == processors && r.has_value();
    });
    if (enough == rows.end() || enough->bound() != Bound::exact || row.bound() != Bound::exact) continue;
    const double base = summary_of(enough->samples).median;
    if (base > 0) row.over_processors = summary_of(row.samples).median / base;
  }
}

std::vector<Row> measure(const Measurement& what, const OnProgress& progress) {
  std::vector<TableCell> cells = cells_of(what);
  const int rounds = what.amount.rounds;
  const std::size_t total = cells.size() * std::size_t(rounds);
  std::size_t done = 0;
  for (int round = 0; round < rounds; ++round) {
    for (TableCell& cell : cells) {
      Row& row = cell.row;
      const std::size_t before = done++;
      if (!row.error.empty() || !row.unsupported.empty()) continue;
      progress({before, total,
                fmt::format("round {} of {}: {}, {}, {} worker{}", round + 1, rounds, row.bench, row.runtime,
                            row.workers, row.workers == 1 ? "" : "s")});
      const auto output = platform::output_of(cell.command, what.amount.timeout_s);
      const Status status = output ? add_output(row, *output) : output.status();
      if (!status) row.error = status.message;
    }
  }
  std::vector<Row> rows;
  for (TableCell& cell : cells) rows.push_back(std::move(cell.row));
  compare_with_weir(rows);
  compare_with_processors(rows, what.processors);
  return rows;
}

}  // namespace weir::bench
