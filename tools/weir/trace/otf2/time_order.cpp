// SPDX-License-Identifier: Apache-2.0

#include "otf2/time_order.hpp"

#include <algorithm>
#include <queue>
#include <vector>

#include "otf2/resolved_tracks.hpp"

namespace weir::tool::convert {

namespace {

bool is_task(const Event& event) noexcept { return event.kind() == Kind::task && task_number(event.id) != 0; }

class Unwinder {
 public:
  Unwinder(UnitStack& records, const TimeScale& scale) : records_(records), scale_(scale) {}

  // Events from the last one recorded to the first.
  void take(const Event& event) {
    const std::uint64_t start = scale_.ns(event.start), end = scale_.ns(event.end());
    switch (event.kind()) {
      case Kind::footprint:
      case Kind::edge: open_.back().after.push_back(event); return;
      case Kind::steal:
      case Kind::evict:
      case Kind::resident: begin_down_to(end); return put(end, Does::happen, event);
      case Kind::move:
        begin_down_to(end);
        put(end, Does::end_move, event, ++moves_);
        return begun_.push(Record(start, Does::begin_move, event, moves_));
      case Kind::data_wait:
        if (event.small() == static_cast<std::uint8_t>(trace::DataWait::completion)) return;  // it has its data
        begin_down_to(end);
        put(end, Does::wait_less, event);
        return begun_.push(Record(start, Does::wait_more, event));
      default: return take_interval(event, start, end);
    }
  }
  void end() { begin_down_to(0); }

 private:
  struct Open {
    Event event;
    std::uint64_t start;  // ns
    std::vector<Event> after;
  };
  struct IsEarlier {
    bool operator()(const Record& a, const Record& b) const noexcept { return a.ns() < b.ns(); }
  };

  void take_interval(const Event& event, std::uint64_t start, std::uint64_t end) {
    begin_down_to(end);
    if (is_task(event)) {
      const auto below =
          std::find_if(open_.rbegin(), open_.rend(), [](const Open& open) { return is_task(open.event); });
      if (below != open_.rend()) put(end, Does::resume, below->event);
    }
    put(end, Does::leave, event);
    open_.push_back({event, start, {}});
  }

  // All that begins at `ns` or later, the last one first.
  void begin_down_to(std::uint64_t ns) {
    while (true) {
      const bool interval = !open_.empty() && open_.back().start >= ns;
      const bool other = !begun_.empty() && begun_.top().ns() >= ns;
      if (interval && (!other || open_.back().start >= begun_.top().ns())) {
        const Open& open = open_.back();
        put(open.start, Does::enter, open.event);
        for (const Event& of_it : open.after) put(open.start, Does::come_after, of_it);
        open_.pop_back();
      } else if (other) {
        const Record& begun = begun_.top();
        put(begun.ns(), begun.does(), begun.unit(), begun.move());
        begun_.pop();
      } else {
        return;
      }
    }
  }

  // Clocks and the threads that read them may be off by some nanoseconds.
  void put(std::uint64_t ns, Does does, const Event& event, std::uint32_t move = 0) {
    last_ns_ = std::min(last_ns_, ns);
    records_.push(Record(last_ns_, does, event, move).unit());
  }

  UnitStack& records_;
  const TimeScale& scale_;
  std::uint64_t last_ns_ = ~std::uint64_t{0};
  std::uint32_t moves_ = 0;
  std::vector<Open> open_;                                             // intervals, each within the one before
  std::priority_queue<Record, std::vector<Record>, IsEarlier> begun_;  // of what overlaps, the beginnings
};

}  // namespace

void put_in_order(UnitStack& events, UnitStack& records, const TimeScale& scale) {
  Unwinder unwinder(records, scale);
  for (Event event; events.pop(event);) unwinder.take(event);
  unwinder.end();
}

}  // namespace weir::tool::convert
