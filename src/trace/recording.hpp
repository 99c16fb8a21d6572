// Recording: all that was recorded of one runtime, when it has ended: what the writers of files read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trace/track.hpp"

namespace weir::trace {

struct TierInfo {
  std::string name;
  std::uint64_t budget = 0;
  double read_gb_per_s = 0, write_gb_per_s = 0;  // measured; 0: not known
};

struct BlockInfo {
  std::string name;
  std::uint64_t bytes = 0;
};

// What the runtime knows at its end.
struct Summary {
  int workers = 0;
  std::uint64_t start = 0, end = 0;  // ticks: from when to when the runtime was the program's
  std::string machine;               // one line
  std::vector<std::pair<std::string, std::uint64_t>> counters;  // name, value: what the events must add up to
  std::vector<TierInfo> tiers;
};

// A pair of clocks read together.
struct ClockPair {
  std::uint64_t ticks = 0, ns = 0;
  static ClockPair now() noexcept;
};

struct Recording {
  std::span<const Event> events;  // as the recorder's drainer has left them: chunks by track
  const std::deque<Track>& tracks;
  const std::vector<BlockInfo>& blocks;
  const Summary& summary;
  ClockPair opened, closed;
  std::uint64_t lost = 0;  // events that are not there

  // f(event, number of its track).
  template <class F>
  void for_each_event(F&& f) const {
    std::size_t at = 0;
    while (at < events.size()) {
      const Event& chunk = events[at++];
      const std::size_t count = std::min<std::size_t>(chunk.value(), events.size() - at);  // a full disk cut it
      for (const Event& event : events.subspan(at, count)) f(event, static_cast<std::uint32_t>(chunk.id));
      at += count;
    }
  }

  std::string tier_name(std::uint8_t tier) const {
    return tier < summary.tiers.size() ? summary.tiers[tier].name : "program";
  }
  std::string link_name(std::uint8_t ends) const { return tier_name(ends >> 4) + " to " + tier_name(ends & 15); }
  const char* block_name(std::uint64_t block) const { return block < blocks.size() ? blocks[block].name.c_str() : "?"; }
};

// From ticks to nanoseconds since a moment.
class TimeScale {
 public:
  TimeScale(const Recording& recording, std::uint64_t origin_ns) noexcept
      : ticks_(recording.opened.ticks),
        since_(static_cast<double>(recording.opened.ns - origin_ns)),
        ns_per_tick_(static_cast<double>(recording.closed.ns - recording.opened.ns) /
                     static_cast<double>(std::max<std::uint64_t>(recording.closed.ticks - recording.opened.ticks, 1))) {
  }

  std::uint64_t ns(std::uint64_t ticks) const noexcept {
    const double ns = since_ + static_cast<double>(static_cast<std::int64_t>(ticks - ticks_)) * ns_per_tick_;
    return ns > 0 ? static_cast<std::uint64_t>(ns) : 0;
  }

 private:
  const std::uint64_t ticks_;
  const double since_, ns_per_tick_;
};

// What is said of an interval; of tasks without a name, too.
const char* task_name(const Event& event) noexcept;  // of a Kind::task
const char* wait_name(const Event& event) noexcept;  // of a Kind::wait

}  // namespace weir::trace
