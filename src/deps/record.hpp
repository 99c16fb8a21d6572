// SPDX-License-Identifier: Apache-2.0

// What a block map remembers of one piece of memory: the tasks that the next access may have to wait for.
//
// `current` is the newest group of accesses that need no order among themselves; each of its members comes after all
// of `before`, the group that it displaced. Older groups come before these and are forgotten. Finished nodes may stay
// in either list or be dropped from it at any time; since a member of `current` finishes after all of `before`,
// nothing of a record matters once all of `current` has finished.
#pragma once

#include <cstdint>

#include "deps/node_list.hpp"
#include "weir/footprint.hpp"

namespace weir::deps {

// Of a group: which accesses may join it.
enum class Kind : std::uint8_t { none, in, exclusive, concurrent, commutative, reduce };

constexpr Kind kind_of(Mode mode) noexcept {
  switch (mode) {
    case Mode::in: return Kind::in;
    case Mode::concurrent: return Kind::concurrent;
    case Mode::commutative: return Kind::commutative;
    case Mode::reduce: return Kind::reduce;
    case Mode::out:
    case Mode::inout: break;
  }
  return Kind::exclusive;
}

// What commutative tasks exclude each other with. Shared by the records that one record was split into.
struct Lock {
  void* handle;           // the graph's
  std::uint32_t records;  // that refer to it
  std::uint32_t index;    // in History's list of all locks
};

// All bytes zero is a record without history.
struct Record {
  NodeList before;
  NodeList current;      // kind reduce: the node that combines the copies, and nothing else
  Lock* lock = nullptr;  // from the first commutative access on, for as long as the record lives
  // Kind reduce: where History finds it, unless it was sealed since. Kind commutative: the group, of a graph that has
  // several.
  std::uint32_t reduction = 0;
  Kind kind = Kind::none;
  bool frozen = false;  // history from before its memory was watched: gives edges, records nothing

  // Of a group that was displaced none took the place, as memory ran out: whoever comes next comes after it.
  void keep_displaced() noexcept {
    if (current.size() != 0) return;
    current.swap(before);
    kind = Kind::none;
  }
};
static_assert(sizeof(Record) == 64);

// `to` is empty. Both then share the lock.
inline void copy_record(const Record& from, Record& to, Arena& arena) {
  to.before.copy_from(from.before, arena);
  to.current.copy_from(from.current, arena);
  to.lock = from.lock;
  to.reduction = from.reduction;
  to.kind = from.kind;
  if (to.lock != nullptr) ++to.lock->records;
}

// A contiguous piece of memory, [start, end).
struct ByteRange {
  std::uintptr_t start = 0;
  std::uintptr_t end = 0;
};

}  // namespace weir::deps
