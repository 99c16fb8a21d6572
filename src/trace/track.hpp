// SPDX-License-Identifier: Apache-2.0

// Track: one row of a trace, of a worker or of the data layer: what its owner calls to record.
//
// Each function is a few stores into the track's ring. One thread at a time; a track lives as long as its Recorder.
// Whoever holds a pointer to one that is null records nothing: that test is all that tracing costs when it is off.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "platform/clock.hpp"
#include "trace/rank_events.hpp"
#include "trace/ring.hpp"

namespace weir::trace {

struct TrackInfo {
  std::string name;  // "worker 3", "blocks"
  int worker = -1;   // its index; -1: not a worker
  int domain = -1;
};

class Track {
 public:
  explicit Track(TrackInfo info) : info_(std::move(info)) {}

  static std::uint64_t now() noexcept { return platform::ticks(); }

  // `name`: null, or a text that lives as long as the runtime. `wanted`: the domain that it was to run in; -1: any.
  void task(std::uint64_t start, std::uint64_t end, std::uint64_t id, const char* name, bool cancelled,
            int wanted = -1) noexcept {
    ring_.push({start, end - start, id,
                Event::pack(Kind::task, reinterpret_cast<std::uintptr_t>(name), TaskSmall(cancelled, wanted).word)});
  }
  void spawn(std::uint64_t start, std::uint64_t id, std::uint64_t bytes, std::size_t items) noexcept {
    ring_.push({start, now() - start, id, Event::pack(Kind::spawn, bytes, few(items))});
  }
  // Heads for Details: of a spawn that ends now, of a footprint that its spawn could not say. Before the task runs.
  static Event spawned(std::uint64_t start, std::uint64_t id, std::uint64_t bytes, std::size_t items) noexcept {
    return {start, now() - start, id, Event::pack(Kind::spawn, bytes, few(items))};
  }
  static Event footprint(std::uint64_t id, std::uint64_t bytes, std::size_t items) noexcept {
    return {now(), 0, id, Event::pack(Kind::footprint, bytes, few(items))};
  }
  void push_all(std::span<const Event> units) noexcept {
    if (ring_.push_all(units)) [[likely]]
      return;
    parent_ = kNotKnown;  // what is lost may have said it
    watched_.fill(0);
  }
  bool last_parent_is(std::uint64_t task) const noexcept { return parent_ == task; }
  // True when `task` spawns now, and another one spawned last on this track: then a unit has to say so.
  bool changes_parent(std::uint64_t task) noexcept { return std::exchange(parent_, task) != task; }
  // True when a region in this watched array has not been recorded lately: then its units come before it.
  bool needs_watched(std::uint64_t number) noexcept {
    return std::exchange(watched_[number % watched_.size()], number) != number;
  }
  void edge(std::uint64_t from, std::uint64_t to, EdgeBlock block, EdgeBy by = EdgeBy::code) noexcept {
    ring_.push({from, block.number, to, Event::pack(Kind::edge, static_cast<std::uint64_t>(by), block.small)});
  }
  // `task`: whose children, or itself (WaitFor); 0: the thread's own code.
  void wait(std::uint64_t start, WaitFor what, std::uint64_t task = 0) noexcept {
    ring_.push({start, now() - start, task, Event::pack(Kind::wait, 0, static_cast<std::uint8_t>(what))});
  }
  void search(std::uint64_t start) noexcept { search(start, now()); }
  void search(std::uint64_t start, std::uint64_t end) noexcept {
    ring_.push({start, end - start, 0, Event::pack(Kind::search, 0)});
  }
  void park(std::uint64_t start) noexcept { ring_.push({start, now() - start, 0, Event::pack(Kind::park, 0)}); }
  void steal(int victim, std::uint32_t tasks, int distance) noexcept {
    ring_.push({now(), 0, static_cast<std::uint64_t>(victim),
                Event::pack(Kind::steal, tasks, static_cast<std::uint8_t>(std::min(distance, 255)))});
  }
  void stage(std::uint64_t start, std::uint64_t end, std::uint64_t task) noexcept {
    ring_.push({start, end - start, task, Event::pack(Kind::stage, 0)});
  }

  // `holder`: of what is waited for, as `name` of task(); null: not known.
  void data_wait(std::uint64_t start, std::uint64_t end, std::uint64_t task, DataWait what,
                 const char* holder = nullptr) noexcept {
    ring_.push(
        {start, end - start, task,
         Event::pack(Kind::data_wait, reinterpret_cast<std::uintptr_t>(holder), static_cast<std::uint8_t>(what))});
  }

  // ---- A PE ----
  // A call that ends now: what the fields mean is in pe_events.hpp.
  void call(std::uint64_t start, Kind kind, std::uint8_t small, std::uint64_t id, std::uint64_t value) noexcept {
    ring_.push({start, now() - start, id, Event::pack(kind, value, small)});
  }

  // ---- A rank ----
  // `task`: that has sent it. Now.
  void sent(RankMessage what, std::uint64_t task, std::uint64_t bytes, const MessageNote& note) noexcept {
    ring_.push_all(std::array{Event{now(), 0, task, Event::pack(Kind::sent, bytes, static_cast<std::uint8_t>(what))},
                              note.unit()});
  }
  // `task`: that has wanted it since `start`. It is there now.
  void received(std::uint64_t start, RankMessage what, std::uint64_t task, std::uint64_t bytes,
                const MessageNote& note) noexcept {
    ring_.push_all(std::array{
        Event{start, now() - start, task, Event::pack(Kind::received, bytes, static_cast<std::uint8_t>(what))},
        note.unit()});
  }

  // ---- The data layer, under the store's lock ----
  void move(std::uint64_t start, std::uint64_t block, std::uint64_t bytes, std::uint8_t from,
            std::uint8_t to) noexcept {
    ring_.push(
        {start, now() - start, block, Event::pack(Kind::move, bytes, static_cast<std::uint8_t>(from << 4 | to))});
  }
  void evict(std::uint64_t block, std::uint64_t bytes, std::uint8_t tier) noexcept {
    ring_.push({now(), 0, block, Event::pack(Kind::evict, bytes, tier)});
  }
  void grow(std::uint64_t start, std::uint64_t ticks, std::uint64_t bytes, std::uint8_t tier) noexcept {
    ring_.push({start, ticks, 0, Event::pack(Kind::grow, bytes, tier)});
  }
  void resident(std::uint8_t tier, std::uint64_t bytes) noexcept {
    ring_.push({now(), 0, bytes, Event::pack(Kind::resident, 0, tier)});
  }

  // ---- Blocks ----
  void made(BlockKind kind, std::uint64_t block, std::uint64_t bytes, std::uint8_t home) noexcept {
    ring_.push({now(), static_cast<std::uint64_t>(kind), block, Event::pack(Kind::made, bytes, home)});
  }
  void gone(BlockKind kind, std::uint64_t block) noexcept {
    ring_.push({now(), static_cast<std::uint64_t>(kind), block, Event::pack(Kind::gone, 0)});
  }

  const TrackInfo& info() const noexcept { return info_; }
  Ring& ring() noexcept { return ring_; }
  const Ring& ring() const noexcept { return ring_; }

 private:
  static std::uint8_t few(std::size_t items) noexcept {
    return static_cast<std::uint8_t>(std::min<std::size_t>(items, 255));
  }

  const TrackInfo info_;
  Ring ring_;
  static constexpr std::uint64_t kNotKnown = ~std::uint64_t{0};
  std::uint64_t parent_ = 0;
  std::array<std::uint64_t, 64> watched_{};  // numbers, by their lowest bits
};

}  // namespace weir::trace
