// SPDX-License-Identifier: Apache-2.0

// What a trace holds beside its events: names, clocks, and what the runtime knows of itself at its end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/encoding.hpp"
#include "trace/event.hpp"

namespace weir::trace {

struct TierInfo {
  std::string name;
  std::uint64_t budget = 0;
  double read_gb_per_s = 0, write_gb_per_s = 0;  // measured; 0: not known
};

using Settings = std::vector<std::pair<std::string, std::string>>;  // name, text

// What the runtime knows at its end.
struct Summary {
  int workers = 0;
  std::uint64_t start = 0, end = 0;  // ticks: from when to when the runtime was the program's
  std::string machine;               // one line
  std::string policy;                // whom workers steal from
  double memory_gb_per_s = 0;        // that all memory nodes give their own domains, as measured; 0: not known
  std::vector<std::pair<std::string, std::uint64_t>> counters;  // name, value: what the events must add up to
  std::vector<TierInfo> tiers;
  // The options of the runtime, as they are written, and what it measured at its start; in a chunk of its own.
  Settings settings;
};

// What an event means by number.
struct Definition {
  Named what = Named::track;
  std::uint64_t number = 0;
  std::uint64_t first = 0, second = 0;  // see Named
  std::string name;
};

// A pair of clocks read together.
struct ClockPair {
  std::uint64_t ticks = 0, ns = 0;
  static ClockPair now() noexcept;
};

// From ticks to nanoseconds since a moment.
class TimeScale {
 public:
  TimeScale() noexcept : TimeScale({}, {1, 1}, 0) {}
  // From two moments at which both clocks were read, the second one later.
  TimeScale(const ClockPair& a, const ClockPair& b, std::uint64_t origin_ns) noexcept
      : ticks_(a.ticks),
        since_(static_cast<double>(a.ns - origin_ns)),
        ns_per_tick_(static_cast<double>(b.ns - a.ns) /
                     static_cast<double>(std::max<std::uint64_t>(b.ticks - a.ticks, 1))) {}

  std::uint64_t ns(std::uint64_t ticks) const noexcept {
    const double ns = since_ + static_cast<double>(static_cast<std::int64_t>(ticks - ticks_)) * ns_per_tick_;
    return ns > 0 ? static_cast<std::uint64_t>(ns) : 0;
  }

 private:
  std::uint64_t ticks_;
  double since_, ns_per_tick_;
};

// ---- As they lie in chunks ----

void encode(Encoder& to, const Definition& definition);
Definition decode_definition(Decoder& from);
// `lost`: events that are not in the file.
void encode(Encoder& to, const Summary& summary, std::uint64_t lost);
Summary decode_summary(Decoder& from, std::uint64_t& lost);
void encode(Encoder& to, const Settings& settings);
Settings decode_settings(Decoder& from);

}  // namespace weir::trace
