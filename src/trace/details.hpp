// SPDX-License-Identifier: Apache-2.0

// Details: an event and what belongs to it, put into a track so that nothing comes in between.
//
// Collected in a buffer on the stack, and pushed in one piece: either all of it is in the trace or none. What is longer
// than the buffer goes on in another piece, which begins with the task's id again. The thread that owns the track.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "trace/track.hpp"

namespace weir::trace {

class Details {
 public:
  // Of a footprint.
  Details(Track& track, const Event& head) noexcept : track_(track), task_(head.id) { add(head); }
  // Of a spawn by `parent`; 0: by the thread's own code.
  Details(Track& track, const Event& spawn, std::uint64_t parent) noexcept : track_(track), task_(spawn.id) {
    if (track.changes_parent(parent)) add({0, 0, parent, Event::pack(Kind::parent, 0)});
    add(spawn);
  }
  Details(const Details&) = delete;
  Details& operator=(const Details&) = delete;
  ~Details() { flush(); }

  void block(AccessMode mode, std::uint64_t number) noexcept { listed(Kind::blocks, pack_block(mode, number)); }
  // Numbers of blocks are GUIDs.
  void guid(AccessMode mode, std::uint64_t guid) noexcept { listed(Kind::blocks, pack_block(mode, guid), kGuids); }
  void region(AccessMode mode, std::uint64_t address, std::uint64_t row_bytes, std::uint64_t rows,
              RegionShape shape) noexcept {
    add({pack_region(mode, address), row_bytes, shape.packed(), Event::pack(Kind::region, rows)});
  }
  void after(std::uint64_t task) noexcept { listed(Kind::after, task); }
  void edge(std::uint64_t from) noexcept { listed(Kind::edges, from); }
  void add(const Event& unit) noexcept {
    if (count_ == units_.size()) [[unlikely]]
      go_on();
    units_[count_++] = unit;
    listing_ = Kind::none;
  }

  static constexpr std::uint8_t kGuids = 0x80;  // in small of Kind::blocks
  static constexpr std::uint8_t kListed = 3;    // accesses or tasks in a unit

 private:
  // Three to a unit, of one kind of number.
  void listed(Kind kind, std::uint64_t word, std::uint8_t flags = 0) noexcept {
    if (listing_ != kind || flags_ != flags || in_unit_ == kListed) {
      add({0, 0, 0, 0});
      listing_ = kind;
      flags_ = flags;
      in_unit_ = 0;
    }
    Event& unit = units_[count_ - 1];
    (in_unit_ == 0 ? unit.start : in_unit_ == 1 ? unit.duration : unit.id) = word;
    unit.word = Event::pack(kind, 0, static_cast<std::uint8_t>(++in_unit_ | flags));
  }
  void flush() noexcept { track_.push_all({units_.data(), count_}); }
  [[gnu::noinline]] void go_on() noexcept {
    flush();
    units_[0] = {0, 0, task_, Event::pack(Kind::more, 0)};
    count_ = 1;
  }

  Track& track_;
  const std::uint64_t task_;
  std::size_t count_ = 0;
  Kind listing_ = Kind::none;  // of the last unit, when it may have room for one more
  std::uint8_t in_unit_ = 0;
  std::uint8_t flags_ = 0;  // of that unit
  union {
    // The first count_; the others are never made. NOLINTNEXTLINE(readability-identifier-naming): it is private.
    std::array<Event, 64> units_;
  };
};

}  // namespace weir::trace
