// SPDX-License-Identifier: Apache-2.0

#include "bench/prk/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/common/median.hpp"
#include "platform/process.hpp"

namespace weir::bench {
namespace {

using Json = nlohmann::json;

const PrkBench& bench_of(const PrkPlan& plan, const PrkRow& row) {
  return *std::find_if(plan.benches.begin(), plan.benches.end(),
                       [&](const PrkBench& b) { return b.name == row.bench; });
}

int node_of(const PrkPlan& plan, const PrkRow& row) {
  return std::find_if(plan.memories.begin(), plan.memories.end(),
                      [&](const PrkMemory& m) { return m.name == row.memory; })
      ->os_node;
}

std::vector<std::string> command_of(const PrkPlan& plan, const PrkRow& row) {
  const PrkBench& bench = bench_of(plan, row);
  return {row.contender.path,
          row.contender.way,
          bench.kernel,
          std::to_string(plan.quick ? bench.quick_size : bench.size),
          std::to_string(bench.tile),
          std::to_string(plan.quick ? 2 : bench.iterations),
          std::to_string(row.workers),
          row.stores,
          std::to_string(node_of(plan, row))};
}

void add_output(PrkRow& row, const std::string& output) {
  try {
    const Json fields = Json::parse(output);
    row.samples.push_back(fields.at("value").get<double>());
    row.unit = fields.at("unit").get<std::string>();
  } catch (const Json::exception&) {
    row.error = fmt::format("weir-prk-{} printed no result: '{}'", row.contender.runtime, output.substr(0, 100));
  }
}

}  // namespace

double PrkRow::median() const { return apps::median(samples); }

std::vector<PrkRow> prk_rows(const PrkPlan& plan) {
  std::vector<PrkRow> rows;
  for (const PrkBench& bench : plan.benches) {
    for (const PrkMemory& memory : plan.memories) {
      for (const std::string& stores : plan.stores) {
        if (stores == "non-temporal" && !bench.non_temporal) continue;
        for (const int workers : plan.workers) {
          for (const PrkContender& contender : plan.contenders) {
            const bool serial = contender.runtime == "serial";
            if (serial && workers != plan.workers.front()) continue;
            PrkRow row;
            row.bench = bench.name, row.stores = stores, row.memory = memory.name;
            row.workers = serial ? 1 : workers;
            row.contender = contender;
            rows.push_back(std::move(row));
          }
        }
      }
    }
  }
  return rows;
}

std::vector<PrkRow> measure_prk(const PrkPlan& plan, const OnProgress& progress) {
  std::vector<PrkRow> rows = prk_rows(plan);
  std::size_t done = 0;
  for (int round = 0; round < plan.rounds; ++round) {
    for (PrkRow& row : rows) {
      const std::size_t before = done++;
      if (!row.error.empty()) continue;
      progress({before, rows.size() * std::size_t(plan.rounds),
                fmt::format("round {} of {}: {}, {}, {}", round + 1, plan.rounds, row.bench, row.contender.name(),
                            row.stores)});
      const auto output = platform::output_of(command_of(plan, row), plan.timeout_s);
      if (!output) row.error = output.status().message;
      if (output) add_output(row, *output);
    }
  }
  compare_prk(rows);
  return rows;
}

const PrkRow* best_other(std::span<const PrkRow> rows, const PrkRow& row) {
  const PrkRow* best = nullptr;
  for (const PrkRow& other : rows) {
    if (other.contender.runtime == "weir" || !other.has_value() || !other.beside(row)) continue;
    if (other.contender.flows() && !row.contender.flows()) continue;
    if (best == nullptr || other.median() > best->median()) best = &other;
  }
  return best;
}

void compare_prk(std::span<PrkRow> rows) {
  for (PrkRow& row : rows) {
    if (row.contender.runtime != "weir" || !row.has_value()) continue;
    const PrkRow* const best = best_other(rows, row);
    if (best == nullptr) continue;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(row.samples.size(), best->samples.size()); ++i)
      ratios.push_back(row.samples[i] / best->samples[i]);
    row.over_best_other = apps::median(ratios);
  }
}

}  // namespace weir::bench
