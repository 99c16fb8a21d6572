// SPDX-License-Identifier: Apache-2.0

#include "bench/tiers/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/common/median.hpp"
#include "apps/common/tiered_run.hpp"
#include "bench/tiers/slow_bandwidth.hpp"

namespace weir::bench {
namespace {

using apps::Outcome;
using base::Result;
using base::Status;
using sim::bound_seconds;
using sim::least_movement;

constexpr double kNaiveToResident = 3;  // a guess, for plans

template <class Value>
double median_of(const std::vector<Outcome>& runs, Value value) {
  std::vector<double> values;
  for (const Outcome& run : runs) values.push_back(static_cast<double>(value(run)));
  return values.empty() ? 0 : apps::median(std::move(values));
}

// What all contenders of a setup share.
struct Ground {
  std::vector<std::uint64_t> result;  // that of OpenMP
  std::vector<double> resident;       // seconds
  std::string failed;
};

class Measuring {
 public:
  Measuring(const TiersPlan& plan, const TiersAmount& amount, const OnProgress& progress)
      : plan_(plan), amount_(amount), progress_(progress), grounds_(plan.setups.size()) {
    for (const Setup& setup : plan.setups) {
      for (const Contender& contender : plan.contenders) {
        report_.rows.push_back({&setup, &contender, {}, 0, 0, {}, {}, {}});
      }
    }
  }

  TiersReport all() {
    for (std::size_t s = 0; s < plan_.setups.size(); ++s) make_reference(s);
    for (int round = 0; round < amount_.rounds; ++round) {
      measure_slow(round);
      for (std::size_t s = 0; s < plan_.setups.size(); ++s) measure_setup(s, round);
    }
    finish();
    return std::move(report_);
  }

 private:
  void say(const Setup& setup, const std::string& what) {
    say(fmt::format("{} {}x the fast tier: {}", setup.app->name(), setup.ratio, what));
  }
  void say(std::string what) {
    const auto total = static_cast<std::size_t>(run_count(plan_, amount_));
    progress_({std::min(done_, total - 1), total, std::move(what)});
    ++done_;
  }

  Result<Outcome> run(const Setup& setup, const char* variant) {
    return apps::run_variant(*setup.app, *apps::find_tier_variant(variant), setup.settings, amount_.timeout_s);
  }

  void make_reference(std::size_t s) {
    const Setup& setup = plan_.setups[s];
    say(setup, "openmp, to compare with");
    auto outcome = run(setup, "openmp");
    if (!outcome) {
      grounds_[s].failed = outcome.status().message;
    } else {
      grounds_[s].failed = outcome->wrong;
      grounds_[s].result = std::move(outcome->result);
    }
    if (!grounds_[s].failed.empty()) fail(setup, "openmp", grounds_[s].failed);
  }

  void fail(const Setup& setup, const std::string& what, const std::string& why) {
    if (report_.failed.empty()) {
      report_.failed = fmt::format("{} at {}x: {}: {}", setup.app->name(), setup.ratio, what, why);
    }
  }

  void measure_slow(int round) {
    say(fmt::format("round {} of {}: bandwidth of the slow tier", round + 1, amount_.rounds));
    const auto measured = measure_slow_bandwidth(plan_.slow, plan_.setups.front().settings.threads);
    if (measured) {
      slow_.push_back(*measured);
    } else if (report_.failed.empty()) {
      report_.failed = measured.status().message;
    }
  }

  void measure_setup(std::size_t s, int round) {
    Ground& ground = grounds_[s];
    if (!ground.failed.empty()) return;
    const Setup& setup = plan_.setups[s];
    say(setup, fmt::format("round {} of {}: all in memory", round + 1, amount_.rounds));
    const auto resident = run(setup, "weir-resident");
    if (resident) {
      ground.resident.push_back(resident->seconds);
    } else {
      fail(setup, "all in memory", resident.status().message);
    }
    for (std::size_t c = 0; c < plan_.contenders.size(); ++c) {
      TiersRow& row = report_.rows[s * plan_.contenders.size() + c];
      for (int i = 0; i < amount_.repeat && row.error.empty(); ++i) {
        say(setup, fmt::format("round {} of {}: {}", round + 1, amount_.rounds, row.contender->label()));
        measure_row(row, ground);
      }
    }
  }

  void measure_row(TiersRow& row, const Ground& ground) {
    apps::TierSettings settings = row.setup->settings;
    settings.runtime.evict = row.contender->evict;
    auto outcome = apps::run_variant(*row.setup->app, *row.contender->variant, settings, amount_.timeout_s);
    if (!outcome) {
      row.error = outcome.status().message;
    } else if (!outcome->wrong.empty()) {
      row.error = "wrong result: " + outcome->wrong;
    } else if (outcome->result != ground.result) {
      row.error = "its result is not that of openmp";
    } else {
      outcome->result.clear();
      row.runs.push_back(std::move(*outcome));
    }
  }

  void finish() {
    const auto median = [&](double SlowBandwidth::*of) {
      std::vector<double> values;
      for (const SlowBandwidth& each : slow_) values.push_back(each.*of);
      return values.empty() ? 0 : apps::median(std::move(values));
    };
    report_.slow = {median(&SlowBandwidth::read), median(&SlowBandwidth::write), median(&SlowBandwidth::mixed)};
    for (std::size_t s = 0; s < plan_.setups.size(); ++s) finish_setup(s);
  }

  void finish_setup(std::size_t s) {
    const Setup& setup = plan_.setups[s];
    const Movement least = least_movement(setup.app->trace(setup.settings), setup.settings.budget);
    const double resident = grounds_[s].resident.empty() ? 0 : apps::median(grounds_[s].resident);
    const std::size_t first = s * plan_.contenders.size();  // naive placement
    for (std::size_t r = first; r < first + plan_.contenders.size(); ++r) {
      TiersRow& row = report_.rows[r];
      row.least = least;
      row.resident_seconds = resident;
      if (report_.slow.mixed > 0 && resident > 0) row.bound_seconds = bound_seconds(resident, least, report_.slow);
      const TiersRow& naive = report_.rows[first];
      if (row.has_value() && naive.has_value()) row.speedup_over_naive = naive.seconds() / row.seconds();
    }
  }

  const TiersPlan& plan_;
  const TiersAmount& amount_;
  const OnProgress& progress_;
  std::size_t done_ = 0;         // runs
  std::vector<Ground> grounds_;  // by setup
  std::vector<SlowBandwidth> slow_;
  TiersReport report_;
};

}  // namespace

double TiersRow::seconds() const {
  return median_of(runs, [](const Outcome& run) { return run.seconds; });
}
double TiersRow::wait_seconds() const {
  return median_of(runs, [](const Outcome& run) { return run.wait_seconds; });
}
std::uint64_t TiersRow::bytes_moved() const {
  return static_cast<std::uint64_t>(median_of(runs, [](const Outcome& run) { return run.bytes_moved(); }));
}
double TiersRow::hit_rate() const {
  return median_of(runs, [](const Outcome& run) { return run.hit_rate(); });
}
std::uint64_t TiersRow::peak_rss_bytes() const {
  std::uint64_t most = 0;
  for (const Outcome& run : runs) most = std::max(most, run.peak_rss_bytes);
  return most;
}
std::uint64_t TiersRow::allowed_bytes() const { return apps::allowed_bytes(setup->settings.budget); }

int run_count(const TiersPlan& plan, const TiersAmount& amount) {
  const auto setups = static_cast<int>(plan.setups.size()), contenders = static_cast<int>(plan.contenders.size());
  return amount.rounds + setups * (1 + amount.rounds * (1 + contenders * amount.repeat));
}

double guessed_seconds(const TiersPlan& plan, const TiersAmount& amount) {
  double seconds = amount.rounds;
  for (const Setup& setup : plan.setups) {
    const double one = setup.app->guessed_seconds(setup.settings.threads);
    const auto contenders = static_cast<double>(plan.contenders.size());
    seconds += one * (1 + amount.rounds * (1 + contenders * amount.repeat));
    seconds += one * (kNaiveToResident - 1) * amount.rounds * amount.repeat;
  }
  return seconds;
}

TiersReport measure_tiers(const TiersPlan& plan, const TiersAmount& amount, const OnProgress& progress) {
  return Measuring(plan, amount, progress).all();
}

}  // namespace weir::bench
