// SPDX-License-Identifier: Apache-2.0

// What is recorded while a program runs: events of one size, small enough for half a cache line.
//
// Times are platform::ticks(). What the fields mean depends on the kind; track.hpp has a function for each that fills
// them, and the writers of files read them.
#pragma once

#include <cstdint>

namespace weir::trace {

enum class Kind : std::uint8_t {
  none,
  task,       // a callable was run: id task, value address of its name, small TaskSmall
  spawn,      // id task, value bytes of its footprint, small items of it (255: or more); the time is that of analysis
  footprint,  // of a task that is known when it is ready only: id task, value bytes, small items (255: or more)
  edge,       // id the later task, start the earlier task's id, no time
  wait,       // the thread ran tasks until a condition held: small WaitFor
  search,     // looked for work, asleep or not
  park,       // slept; lies in a search
  steal,      // id victim's index, value tasks, small distance: 0 own domain, 1 the nearest other, ...
  stage,      // the worker itself brought a task's blocks, or paid for slow memory: id task
  data_wait,  // a ready task waited: id task, small DataWait, value address of the name of who had it (lock, block)
  move,       // id block, value bytes, small from << 4 | to, tiers
  evict,      // id block, value bytes, small tier
  resident,   // id bytes in use, small tier
  chunk,      // in a spool: the next `value` events are of track `id`; start: how often the rings have been emptied
  text,       // in a spool: `value` bytes follow, in the room of whole events: the name of small Named number `id`
};

// What has a name, and what start and duration say of it beside.
enum class Named : std::uint8_t {
  track,  // worker, domain; -1: none
  block,  // start: bytes
  tier,
};

enum class WaitFor : std::uint8_t { other, children, room, task, half, stop };
// For room; for blocks on their way; for commutative data; for an OCR data block that others hold.
enum class DataWait : std::uint8_t { admission, staging, lock, block };

// As `from` or `to` of a move: the program's own memory, or a tier beyond the fifteenth.
inline constexpr std::uint8_t kNoTier = 15;

// Of a task: whether it was cancelled, and the domain that it was to run in.
struct TaskSmall {
  std::uint8_t word;
  static constexpr int kMostDomains = 127;  // one beyond is not told

  constexpr TaskSmall(bool cancelled, int wanted) noexcept
      : word(static_cast<std::uint8_t>((wanted < kMostDomains ? wanted + 1 : 0) << 1 | (cancelled ? 1 : 0))) {}
  explicit constexpr TaskSmall(std::uint8_t small) noexcept : word(small) {}
  constexpr bool cancelled() const noexcept { return (word & 1) != 0; }
  constexpr int wanted() const noexcept { return (word >> 1) - 1; }  // -1: none
};

struct Event {
  std::uint64_t start = 0;
  std::uint64_t duration = 0;
  std::uint64_t id = 0;
  std::uint64_t word = 0;  // kind << 56 | small << 48 | value

  static constexpr std::uint64_t kMostValue = (std::uint64_t{1} << 48) - 1;

  static constexpr std::uint64_t pack(Kind kind, std::uint64_t value, std::uint8_t small = 0) noexcept {
    return static_cast<std::uint64_t>(kind) << 56 | std::uint64_t{small} << 48 |
           (value < kMostValue ? value : kMostValue);
  }
  constexpr Kind kind() const noexcept { return static_cast<Kind>(word >> 56); }
  constexpr std::uint8_t small() const noexcept { return static_cast<std::uint8_t>(word >> 48); }
  constexpr std::uint64_t value() const noexcept { return word & kMostValue; }
  constexpr std::uint64_t end() const noexcept { return start + duration; }
};
static_assert(sizeof(Event) == 32, "two events to a cache line");

}  // namespace weir::trace
