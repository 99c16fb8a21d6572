// SPDX-License-Identifier: Apache-2.0

// What is recorded while a program runs: units of one size, small enough for half a cache line.
//
// A unit is an event, or a detail of the event before it on the same track. Times are platform::ticks(). What the
// fields mean depends on the kind, and docs/trace-format.md has a table of it; track.hpp and details.hpp fill them in,
// reader.hpp reads them. The numbers of kinds are part of the file format: new ones are added at the end.
#pragma once

#include <cstdint>

namespace weir::trace {

enum class Kind : std::uint8_t {
  none,
  task,       // a callable was run: id task, value name, small TaskSmall
  spawn,      // id task, value bytes of its footprint, small items of it (255: or more); the time is that of analysis
  footprint,  // of a task whose accesses are known when it is ready only: as spawn; start: when it became ready
  edge,       // id the later task, start the earlier task's id, no time; duration, small EdgeBlock; value EdgeBy
  wait,       // the thread ran tasks until a condition held: small WaitFor, id the task (see WaitFor)
  search,     // looked for work, asleep or not
  park,       // slept; lies in a search
  steal,      // id victim's index, value tasks, small distance: 0 own domain, 1 the nearest other, ...
  stage,      // the worker itself brought a task's blocks, or paid for slow memory: id task
  data_wait,  // a task waited: id task, small DataWait, value name of the task that had it (lock, block)
  move,       // id block, value bytes, small from << 4 | to, tiers
  evict,      // id block, value bytes, small tier
  resident,   // id bytes in use, small tier
  made,       // a block: id block, value bytes, small MadeSmall (made_small.hpp), duration BlockKind
  gone,       // a block was destroyed: id block, duration BlockKind

  parent,  // id: the task that spawns from here on, on this track; 0: the thread's own code

  // Details: of the last spawn, footprint or `more` before them on their track.
  blocks,         // small: 1 to 3 accesses, in start, duration and id: BlockAccess
  region,         // one access: start RegionStart, duration bytes of a row, id RegionShape, value rows
  watched,        // before the first region in it on a track: start address, duration bytes of a row, id its number,
                  // value rows
  watched_parts,  // behind it: start stride, duration bytes of a row of a part, id its number, value rows of a part
  after,          // small: 1 to 3 tasks that it was told to come after, in start, duration and id
  edges,          // the same of tasks that it does come after, as the dependence analysis found
  more,           // id task: what follows is of this task again

  // Of a PE (pe_events.hpp): calls of the program's that others are concerned with.
  put,     // id PePlace, value bytes, small PePut
  get,     // likewise, small PeGet
  atomic,  // id PePlace, value bytes, small operation: numbers as in docs/trace-format.md
  until,   // waited for words of its own: id PePlace of the first, value bytes of all, small PeUntil
  lock,    // id PePlace, of this PE; small PeLock
  meet,    // a collective: id PeMeeting, value bytes, small PeMeet
  order,   // small PeOrder

  grow,  // a tier got memory, and the data layer waited for its pages: value bytes, small tier

  // Of a rank (rank_events.hpp), each with a `message` behind it: what has gone to another rank, or come from one.
  sent,      // id the task that has sent it; value bytes; small RankMessage
  received,  // from when it was wanted to when it was there: id the task that wanted it; value bytes; small RankMessage
  message,   // start, duration which one (MessageName); id its block; value the other rank; small EdgeBlock's
};

// What has a name, and what `first` and `second` of its definition say.
enum class Named : std::uint8_t {
  track,  // its worker and domain; -1: none
  block,  // first: bytes; second: 0
  tier,
  text,   // the number is what events mean it by
  group,  // of PEs; the number is that of PeMeeting; first: members; the text lists them
};

// Of a wait: for the children of the task `id`, for fewer of them, for the task `id`, for the half of a fork_join.
enum class WaitFor : std::uint8_t { other, children, room, task, half, stop };
// Ready, for room; for blocks on their way; for commutative data; for an OCR data block that others hold. Begun, from
// end_later() on: for what completes it.
enum class DataWait : std::uint8_t { admission, staging, lock, block, completion };
// By what number a block is meant: that of its definition, or, without one, the lower 60 bits of its GUID.
enum class BlockKind : std::uint8_t { numbered, guid };

// What of the earlier task an edge is from: its code, or what follows from its end, when an EDT holds no blocks any
// more.
enum class EdgeBy : std::uint8_t { code, end };

// The block that an EDT's slot was satisfied with, in an edge.
struct EdgeBlock {
  std::uint8_t small = 0;  // 0: none; else 1 + BlockKind
  std::uint64_t number = 0;

  static constexpr EdgeBlock of(BlockKind kind, std::uint64_t number) noexcept {
    return {static_cast<std::uint8_t>(1 + static_cast<int>(kind)), number & (~std::uint64_t{0} >> 4)};
  }
  constexpr bool is_none() const noexcept { return small == 0; }
  constexpr BlockKind kind() const noexcept { return static_cast<BlockKind>(small - 1); }
};

// As `from` or `to` of a move: the program's own memory, or a tier beyond the fifteenth.
inline constexpr std::uint8_t kNoTier = 15;

// Of a task: whether it was cancelled, and the domain that it was to run in.
struct TaskSmall {
  std::uint8_t word;
  static constexpr int kMostDomains = 127;  // one beyond is not recorded

  constexpr TaskSmall(bool cancelled, int wanted) noexcept
      : word(static_cast<std::uint8_t>((wanted < kMostDomains ? wanted + 1 : 0) << 1 | (cancelled ? 1 : 0))) {}
  explicit constexpr TaskSmall(std::uint8_t small) noexcept : word(small) {}
  constexpr bool cancelled() const noexcept { return (word & 1) != 0; }
  constexpr int wanted() const noexcept { return (word >> 1) - 1; }  // -1: none
};

// Mode and order of an access, in the upper bits of a word.
struct AccessMode {
  std::uint8_t mode = 0;  // weir::Mode
  bool ordered = false;   // of a reduction
  friend constexpr bool operator==(AccessMode, AccessMode) = default;
};

// A block and how it is used: mode 3 bits, ordered 1 bit, number 60 bits.
constexpr std::uint64_t pack_block(AccessMode mode, std::uint64_t number) noexcept {
  return std::uint64_t{mode.mode} << 61 | std::uint64_t{mode.ordered} << 60 | (number & (~std::uint64_t{0} >> 4));
}
// The address of a region: no processor has more than 57 bits of them for programs.
constexpr std::uint64_t pack_region(AccessMode mode, std::uint64_t address) noexcept {
  return pack_block(mode, address);
}
constexpr AccessMode mode_of(std::uint64_t packed) noexcept {
  return {static_cast<std::uint8_t>(packed >> 61), (packed >> 60 & 1) != 0};
}
constexpr std::uint64_t number_of(std::uint64_t packed) noexcept { return packed & (~std::uint64_t{0} >> 4); }

// The stride of a region and the number of the watched array that it lies in, 0 for none. Larger ones than have room
// are recorded as the largest.
struct RegionShape {
  std::uint64_t stride = 0, watched = 0;
  static constexpr std::uint64_t kMostStride = (std::uint64_t{1} << 40) - 1, kMostWatched = (1 << 24) - 1;

  constexpr std::uint64_t packed() const noexcept {
    return (watched < kMostWatched ? watched : kMostWatched) << 40 | (stride < kMostStride ? stride : kMostStride);
  }
  static constexpr RegionShape of(std::uint64_t packed) noexcept { return {packed & kMostStride, packed >> 40}; }
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

// Whose value is a text: 0 for none.
constexpr bool has_name(Kind kind) noexcept { return kind == Kind::task || kind == Kind::data_wait; }

}  // namespace weir::trace
