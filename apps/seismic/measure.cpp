// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/measure.hpp"

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "apps/common/median.hpp"

namespace weir::apps::seismic {
namespace {

double timed_run(const Variant& variant, Problem& problem, const Plan& plan) {
  problem.reset(plan.settings.threads);
  const auto solver = variant.start(plan.settings);
  solver->take(problem.fields());
  std::this_thread::sleep_for(plan.rest);
  const auto begin = std::chrono::steady_clock::now();
  solver->run(problem.fields(), problem.source(), 0, plan.iterations);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  solver->give_back(problem.fields());
  return seconds;
}

}  // namespace

double Measurement::seconds_per_iteration(Index iterations) const {
  return median(seconds) / static_cast<double>(iterations);
}

base::Result<std::vector<Measurement>> measure(Problem& problem, const Plan& plan, const Progress& progress) {
  const Variant& serial = variants().front();
  const int threads = plan.settings.threads;
  std::vector<Measurement> all;
  for (const Variant* variant : plan.variants) all.push_back({variant, {}, {}, {}});

  progress(serial, 0);
  std::optional<double> serial_seconds = timed_run(serial, problem, plan);
  const auto wanted = Snapshot::take(problem, threads);
  if (!wanted) return wanted.status();
  for (int repetition = 0; repetition < plan.repetitions; ++repetition) {
    for (Measurement& m : all) {
      if (m.variant == &serial && serial_seconds) {  // has just run
        m.seconds.push_back(*std::exchange(serial_seconds, std::nullopt));
        continue;
      }
      progress(*m.variant, repetition);
      m.seconds.push_back(timed_run(*m.variant, problem, plan));
      if (!m.difference) m.difference = wanted->compare(problem, threads);
    }
  }
  return all;
}

}  // namespace weir::apps::seismic
