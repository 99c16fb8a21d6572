// SPDX-License-Identifier: Apache-2.0

#include "bench/bddt/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/common/median.hpp"
#include "platform/process.hpp"

namespace weir::bench {
namespace {

using base::Result;
using base::Status;
using Json = nlohmann::json;

constexpr int kRunsForParts = 3;

Status unread(const BddtRow& row, const std::string& output) {
  return {base::Code::bad_input,
          fmt::format("the program of {} printed no result: '{}'", row.runtime, output.substr(0, 100))};
}

// Without the first, which pays for memory that is touched for the first time.
std::vector<Json> warm_runs(const Json& said) {
  auto runs = said.at("runs").get<std::vector<Json>>();
  if (runs.size() > 1) runs.erase(runs.begin());
  return runs;
}

struct Turn {
  BddtRow row;
  const BddtRuntime* runtime;
};

std::vector<Turn> turns_of(const BddtPlan& plan) {
  std::vector<Turn> turns;
  for (const std::string& size : plan.sizes) {
    for (const std::string& program : plan.programs) {
      for (const int workers : plan.workers) {
        for (const BddtRuntime& runtime : plan.runtimes) {
          if (runtime.is_serial() && workers != plan.workers.front()) continue;
          BddtRow row;
          row.program = program;
          row.size = size;
          row.runtime = runtime.name;
          row.workers = runtime.is_serial() ? 1 : workers;
          turns.push_back({std::move(row), &runtime});
        }
      }
    }
  }
  return turns;
}

Result<std::string> output_of(const Turn& turn, const BddtAmount& amount, bool shares) {
  const int runs = shares ? kRunsForParts : amount.repeat + 1;
  platform::Command command{
      bddt_command(*turn.runtime, turn.row.program, turn.row.size, turn.row.workers, runs, shares),
      turn.runtime->variables};
  auto ran = platform::run(std::move(command), amount.timeout_s);
  if (!ran) return ran.status();
  if (Status failed = platform::failure_of("weir-bddt-" + turn.runtime->name, *ran, amount.timeout_s); !failed)
    return failed;
  return std::move(ran->out);
}

void take_turn(Turn& turn, const BddtAmount& amount, bool shares) {
  if (!turn.row.error.empty()) return;
  const auto output = output_of(turn, amount, shares);
  Status status = output ? Status::success() : output.status();
  if (output)
    status = shares ? add_bddt_parts(turn.row, *output, turn.runtime->has_master_beside(turn.row.workers))
                    : add_bddt_times(turn.row, *output);
  if (!status) turn.row.error = status.message;
}

}  // namespace

double BddtRow::median() const { return apps::median(seconds); }

Status add_bddt_times(BddtRow& row, const std::string& output) {
  try {
    const Json said = Json::parse(output);
    std::vector<double> seconds;
    for (const Json& run : warm_runs(said)) seconds.push_back(run.at("seconds").get<double>());
    row.tasks = said.at("tasks").get<std::size_t>();
    row.seconds.push_back(apps::median(seconds));
    return Status::success();
  } catch (const Json::exception&) {
    return unread(row, output);
  }
}

Status add_bddt_parts(BddtRow& row, const std::string& output, bool master_beside) {
  try {
    const std::vector<Json> runs = warm_runs(Json::parse(output));
    const Json& run = *std::min_element(runs.begin(), runs.end(), [](const Json& a, const Json& b) {
      return a.at("seconds").get<double>() < b.at("seconds").get<double>();
    });
    const double seconds = run.at("seconds").get<double>();
    BddtParts parts;
    for (const Json& worker : run.at("workers")) {
      const double application = worker.at("application").get<double>(), flush = worker.at("flush").get<double>();
      parts.application += application;
      parts.flush += flush;
      row.balance.push_back({application / seconds, flush / seconds});
    }
    parts.analysis = run.at("analysis").get<double>();
    const double processors = static_cast<double>(row.balance.size() + (master_beside ? 1 : 0));
    parts.idle = std::max(processors * seconds - parts.application - parts.flush - parts.analysis, 0.0);
    row.parts = parts;
    return Status::success();
  } catch (const Json::exception&) {
    return unread(row, output);
  }
}

const BddtRow* find_row(const std::vector<BddtRow>& rows, const std::string& program, const std::string& size,
                        const std::string& runtime, int workers) {
  for (const BddtRow& row : rows) {
    if (row.program == program && row.size == size && row.runtime == runtime && row.workers == workers &&
        row.has_value())
      return &row;
  }
  return nullptr;
}

void compare_with_serial(std::vector<BddtRow>& rows) {
  for (BddtRow& row : rows) {
    const BddtRow* const serial = find_row(rows, row.program, row.size, "serial", 1);
    if (serial != nullptr && row.has_value()) row.speedup = serial->median() / row.median();
  }
}

std::vector<BddtRow> measure_bddt(const BddtPlan& plan, const OnProgress& progress) {
  std::vector<Turn> turns = turns_of(plan);
  const int rounds = plan.amount.rounds;
  const std::size_t total = turns.size() * (static_cast<std::size_t>(rounds) + 1);
  std::size_t done = 0;
  for (int round = 0; round <= rounds; ++round) {
    for (Turn& turn : turns) {
      const std::string what = round < rounds ? fmt::format("round {} of {}", round + 1, rounds) : "parts";
      progress({done++, total, fmt::format("{}: {}, {}", what, turn.row.program, turn.row.runtime)});
      take_turn(turn, plan.amount, round == rounds);
    }
  }
  std::vector<BddtRow> rows;
  for (Turn& turn : turns) rows.push_back(std::move(turn.row));
  compare_with_serial(rows);
  return rows;
}

}  // namespace weir::bench
