// SPDX-License-Identifier: Apache-2.0

#include "trace/recording.hpp"

#include "platform/clock.hpp"

namespace weir::trace {

// The read of the ticks lies between two of the other clock: the best of some tries is off by tens of nanoseconds.
ClockPair ClockPair::now() noexcept {
  ClockPair best;
  std::uint64_t shortest = ~std::uint64_t{0};
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t before = platform::now_ns();
    const std::uint64_t ticks = platform::ticks();
    const std::uint64_t after = platform::now_ns();
    if (after - before >= shortest) continue;
    shortest = after - before;
    best = {ticks, before + (after - before) / 2};
  }
  return best;
}

void encode(Encoder& to, const Definition& definition) {
  to << static_cast<std::uint64_t>(definition.what) << definition.number << definition.first << definition.second
     << std::string_view(definition.name);
}

Definition decode_definition(Decoder& from) {
  Definition definition;
  definition.what = static_cast<Named>(from.word());
  definition.number = from.word();
  definition.first = from.word();
  definition.second = from.word();
  definition.name = from.text();
  return definition;
}

void encode(Encoder& to, const Summary& summary, std::uint64_t lost) {
  to << static_cast<std::uint64_t>(summary.workers) << summary.start << summary.end << lost << summary.memory_gb_per_s
     << std::string_view(summary.machine) << std::string_view(summary.policy);
  to << std::uint64_t{summary.counters.size()};
  for (const auto& [name, value] : summary.counters) to << std::string_view(name) << value;
  to << std::uint64_t{summary.tiers.size()};
  for (const TierInfo& tier : summary.tiers) {
    to << std::string_view(tier.name) << tier.budget << tier.read_gb_per_s << tier.write_gb_per_s;
  }
}

Summary decode_summary(Decoder& from, std::uint64_t& lost) {
  Summary summary;
  summary.workers = static_cast<int>(from.word());
  summary.start = from.word();
  summary.end = from.word();
  lost = from.word();
  summary.memory_gb_per_s = from.real();
  summary.machine = from.text();
  summary.policy = from.text();
  for (std::uint64_t left = from.word(); left > 0 && from.whole(); --left) {
    std::string name = from.text();
    summary.counters.emplace_back(std::move(name), from.word());
  }
  for (std::uint64_t left = from.word(); left > 0 && from.whole(); --left) {
    TierInfo tier;
    tier.name = from.text();
    tier.budget = from.word();
    tier.read_gb_per_s = from.real();
    tier.write_gb_per_s = from.real();
    summary.tiers.push_back(std::move(tier));
  }
  return summary;
}

void encode(Encoder& to, const Settings& settings) {
  to << std::uint64_t{settings.size()};
  for (const auto& [name, text] : settings) to << std::string_view(name) << std::string_view(text);
}

Settings decode_settings(Decoder& from) {
  Settings settings;
  for (std::uint64_t left = from.word(); left > 0 && from.whole(); --left) {
    std::string name = from.text();
    settings.emplace_back(std::move(name), from.text());
  }
  return settings;
}

}  // namespace weir::trace
