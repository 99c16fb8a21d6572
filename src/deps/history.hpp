// SPDX-License-Identifier: Apache-2.0

// The rules: which edges an access asks of a record, and what the record then remembers.
//
// One per BlockMap, on its thread. Knows nothing of where records are kept. The Graph is described in block_map.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/check.hpp"
#include "deps/record.hpp"

namespace weir::deps {

// What Graph::open_reduction returns: the group that members join, and the node that will combine their copies.
struct OpenedReduction {
  void* group = nullptr;
  NodeRef node;
};

// The graph tells commutative accesses that need no order among themselves from others (block_map.hpp).
template <class Graph>
concept HasGroups = requires(Graph& graph, const Access& access) {
  graph.group_of(access);
};

class History {
 public:
  explicit History(Arena& arena) noexcept : arena_(arena) {}

  // All calls until the next begin() are for the footprint of `self`.
  void begin(NodeRef self) noexcept { self_ = self; }

  // Of the access that comes, where the graph has groups.
  void set_group(std::uint32_t group) noexcept { group_ = group; }

  // Self accesses the record's memory, in any mode but reduce. A second time has no effect beyond its mode's.
  template <class Graph>
  [[gnu::always_inline]] void touch(Graph& graph, Record& record, Mode mode) {
    if (mode == Mode::in) {
      read(graph, record);
    } else if (mode == Mode::out || mode == Mode::inout) {
      take_over(graph, record);
    } else {
      join_group(graph, record, kind_of(mode));
    }
  }

  // The same of a record without history.
  template <class Graph>
  void begin(Graph& graph, Record& record, Mode mode) {
    if (mode == Mode::out || mode == Mode::inout) {
      record.current.set(self_);
      record.kind = Kind::exclusive;
    } else {
      join_group(graph, record, kind_of(mode));
    }
  }

  // Self comes after what a frozen record remembers.
  template <class Graph>
  void follow(Graph& graph, const Record& record, Mode mode) {
    const Kind kind = kind_of(mode);
    const bool together = kind == record.kind && (kind == Kind::in || kind == Kind::concurrent);
    for (const NodeRef ref : together ? record.before : record.current) edge(graph, ref);
  }

  // Self reduces into the memory that `records`, at least one of them not frozen, make up.
  template <class Graph>
  void reduce(Graph& graph, std::span<Record* const> records, const Access& access);

  // No task will open, join or wait for the group any more: the combining node may run when its members have.
  template <class Graph>
  void seal_reductions(Graph& graph);

  // Nothing in the record can give an edge any more.
  template <class Graph>
  bool finished(const Graph& graph, const Record& record) const {
    for (const NodeRef ref : record.current)
      if (!graph.finished(ref)) return false;
    return true;
  }

  // Whether no access to come could tell two records of unfinished groups apart; then `other` is released. Drops what
  // has finished from their lists. Errs on the side of no.
  template <class Graph>
  bool join(Graph& graph, Record& record, Record& other) noexcept;

  // Gives the lists, and the last use of a lock, back.
  template <class Graph>
  void release(Graph& graph, Record& record) noexcept;

  // A copy that gives edges and records nothing more; closes an open reduction.
  template <class Graph>
  void freeze(Graph& graph, Record& from, Record& to) {
    if (from.kind == Kind::reduce) seal(graph, from);
    copy_record(from, to, arena_);
    to.frozen = true;
  }

  // All locks, whatever records refer to them.
  template <class Graph>
  void release_locks(Graph& graph) noexcept {
    for (Lock* lock : locks_) graph.release_lock(lock->handle);
    locks_.clear();
  }
  std::size_t open_reductions() const noexcept { return reductions_.size() - free_slots_.size(); }
  std::size_t lock_count() const noexcept { return locks_.size(); }

 private:
  struct Reduction {
    OpenedReduction opened;  // node null: not in use
    Access access;
    NodeRef last_member;
  };
  static constexpr std::uint32_t kJoinFrom = 5;       // a join pays when more than four edges lead to each of several
  static constexpr std::uint32_t kKeepCapacity = 64;  // nodes; a list that was longer gives its memory back

  template <class Graph>
  void take_over(Graph& graph, Record& record);
  template <class Graph>
  void take_over_group(Graph& graph, Record& record);
  template <class Graph>
  void read(Graph& graph, Record& record);
  template <class Graph>
  void join_group(Graph& graph, Record& record, Kind kind);
  template <class Graph>
  bool joins(const Record& record, Kind kind) const noexcept;
  template <class Graph>
  void depend_on_before(Graph& graph, Record& record);
  template <class Graph>
  void fold(Graph& graph, NodeList& before);
  template <class Graph>
  void exclude_others(Graph& graph, Record& record);
  template <class Graph>
  void seal(Graph& graph, Record& record);
  template <class Graph>
  std::uint32_t open_reduction(Graph& graph, std::span<Record* const> records, const Access& access);
  template <class Graph>
  void release_lock(Graph& graph, Lock* lock) noexcept;
  Reduction* joinable(std::span<Record* const> records, const Access& access) noexcept;
  std::uint32_t free_slot();
  void close(std::uint32_t slot) noexcept {
    reductions_[slot] = {};
    free_slots_.push_back(slot);  // never allocates: free_slot() made room
  }

  // False: `before` has finished.
  template <class Graph>
  [[gnu::always_inline]] bool edge(Graph& graph, NodeRef before) {
    return before.node == self_.node || graph.add_edge(before, self_);
  }

  void trim(NodeList& list) noexcept {
    if (list.capacity() > kKeepCapacity) list.release(arena_);
  }

  Arena& arena_;
  NodeRef self_;
  std::uint32_t group_ = 0;
  std::vector<Lock*> locks_;
  std::vector<Reduction> reductions_;  // never shrinks, so that a record's index is always good to look at
  std::vector<std::uint32_t> free_slots_;
};

template <class Graph>
[[gnu::always_inline]] inline void History::take_over(Graph& graph, Record& record) {
  if (record.kind != Kind::exclusive) return take_over_group(graph, record);
  NodeRef& writer = *record.current.begin();
  edge(graph, writer);
  NodeList::put(writer, self_);
}

template <class Graph>
[[gnu::noinline]] void History::take_over_group(Graph& graph, Record& record) {
  if (record.kind == Kind::reduce) seal(graph, record);
  for (const NodeRef ref : record.current) edge(graph, ref);
  trim(record.current);
  trim(record.before);
  record.before.clear();
  record.current.set(self_);
  record.kind = Kind::exclusive;
}

// The usual cases: the first reader after a writer, and the ones after it. That self may stand there already does no
// harm.
template <class Graph>
[[gnu::always_inline]] inline void History::read(Graph& graph, Record& record) {
  NodeList& readers = record.current;
  if (record.kind == Kind::exclusive) {
    record.before.set(*readers.begin());
    readers.clear();
    record.kind = Kind::in;
  } else if (record.kind != Kind::in || !readers.has_room()) [[unlikely]] {
    return join_group(graph, record, Kind::in);
  }
  if (record.before.size() == 1) {
    try {
      if (!edge(graph, *record.before.begin())) record.before.clear();
    } catch (...) {
      record.keep_displaced();
      throw;
    }
  } else if (record.before.size() != 0) [[unlikely]] {
    return join_group(graph, record, Kind::in);
  }
  readers.append_in_room(self_);
}

template <class Graph>
inline bool History::joins(const Record& record, Kind kind) const noexcept {
  if constexpr (HasGroups<Graph>) {
    if (kind == Kind::commutative && record.reduction != group_) return false;
  }
  return record.kind == kind;
}

template <class Graph>
[[gnu::noinline]] void History::join_group(Graph& graph, Record& record, Kind kind) {
  if (!joins<Graph>(record, kind)) {
    if (record.kind == Kind::reduce) [[unlikely]]
      seal(graph, record);
    // Self may be among those displaced; then it has its edges from their `before` already.
    record.before.swap(record.current);
    record.current.clear();
    record.kind = kind;
    if constexpr (HasGroups<Graph>) record.reduction = group_;
  } else if (record.current.ends_with(self_)) {
    return;
  }
  try {
    depend_on_before(graph, record);
    record.current.append(self_, graph, arena_);
  } catch (...) {
    record.keep_displaced();
    throw;
  }
  if (kind == Kind::commutative) exclude_others(graph, record);
}

template <class Graph>
inline void History::depend_on_before(Graph& graph, Record& record) {
  NodeList& before = record.before;
  // The first member takes m edges and is perhaps the only one; from the second on a join saves m - 1 each.
  if (before.size() >= kJoinFrom && record.current.size() != 0) [[unlikely]]
    fold(graph, before);
  bool all_finished = true;
  for (const NodeRef ref : before) all_finished &= !edge(graph, ref);
  if (all_finished) before.clear();
}

template <class Graph>
[[gnu::noinline]] void History::fold(Graph& graph, NodeList& before) {
  before.remove_finished(graph);
  if (before.size() < kJoinFrom) return;
  const NodeRef join = graph.make_join();
  try {
    for (const NodeRef ref : before) graph.add_edge(ref, join);
  } catch (...) {  // nothing comes after it
    graph.seal_join(join);
    throw;
  }
  graph.seal_join(join);
  before.set(join);
}

template <class Graph>
[[gnu::noinline]] void History::exclude_others(Graph& graph, Record& record) {
  if (record.lock == nullptr) {
    locks_.reserve(locks_.size() + 1);
    void* const memory = arena_.allocate(sizeof(Lock));
    record.lock = ::new (memory) Lock{graph.make_lock(), 1, static_cast<std::uint32_t>(locks_.size())};
    locks_.push_back(record.lock);
  }
  graph.commutative(self_, record.lock->handle);
}

template <class Graph>
inline void History::release(Graph& graph, Record& record) noexcept {
  record.before.release(arena_);
  record.current.release(arena_);
  if (record.lock != nullptr) [[unlikely]]
    release_lock(graph, record.lock);
  record = {};
}

template <class Graph>
bool History::join(Graph& graph, Record& record, Record& other) noexcept {
  if (record.kind != other.kind || record.kind == Kind::reduce || record.lock != other.lock) return false;
  if (record.frozen || other.frozen) return false;
  if constexpr (HasGroups<Graph>) {
    if (record.kind == Kind::commutative && record.reduction != other.reduction) return false;
  }
  if (!record.current.ends_with(*(other.current.end() - 1))) return false;  // most differ there
  if (record.kind != Kind::exclusive) {  // which has a single member, and no use for `before`
    for (NodeList* const list : {&record.current, &other.current, &record.before, &other.before})
      list->remove_finished(graph);
    if (record.current != other.current || record.before != other.before) return false;
  }
  release(graph, other);
  return true;
}

template <class Graph>
[[gnu::noinline]] void History::release_lock(Graph& graph, Lock* lock) noexcept {
  if (--lock->records == 0) {
    graph.release_lock(lock->handle);
    locks_[lock->index] = locks_.back();
    locks_[lock->index]->index = lock->index;
    locks_.pop_back();
    arena_.recycle(lock, sizeof(Lock));
  }
}

// Turns the open or already sealed reduction of a record into an ordinary predecessor: its combining node.
template <class Graph>
[[gnu::noinline]] void History::seal(Graph& graph, Record& record) {
  Reduction& reduction = reductions_[record.reduction];
  if (reduction.opened.node == *record.current.begin()) {
    graph.seal_join(reduction.opened.node);
    close(record.reduction);
  }
  record.kind = Kind::exclusive;
}

template <class Graph>
void History::seal_reductions(Graph& graph) {
  if (free_slots_.size() == reductions_.size()) return;
  for (std::uint32_t slot = 0; slot < reductions_.size(); ++slot) {
    if (reductions_[slot].opened.node.node == nullptr) continue;
    graph.seal_join(reductions_[slot].opened.node);
    close(slot);  // its records find out when they look here
  }
}

template <class Graph>
void History::reduce(Graph& graph, std::span<Record* const> records, const Access& access) {
  Reduction* reduction = joinable(records, access);
  if (reduction == nullptr) reduction = &reductions_[open_reduction(graph, records, access)];
  if (reduction->last_member != self_) graph.add_edge(self_, reduction->opened.node);
  reduction->last_member = self_;
  graph.join_reduction(self_, reduction->opened.group);
}

// Members wait for nobody: they write copies of their own. The combining node comes after all that was there.
template <class Graph>
std::uint32_t History::open_reduction(Graph& graph, std::span<Record* const> records, const Access& access) {
  const std::uint32_t slot = free_slot();
  OpenedReduction opened;
  try {
    opened = graph.open_reduction(access);
  } catch (...) {
    close(slot);
    throw;
  }
  reductions_[slot] = {opened, access, {}};
  for (Record* const record : records) {
    if (record->kind == Kind::reduce && *record->current.begin() == opened.node) continue;  // named twice
    if (record->kind == Kind::reduce) seal(graph, *record);
    for (const NodeRef ref : record->current)
      if (ref.node != self_.node) graph.add_edge(ref, opened.node);
    if (record->frozen) continue;
    record->before.clear();
    record->current.set(opened.node);
    record->reduction = slot;
    record->kind = Kind::reduce;
  }
  return slot;
}

}  // namespace weir::deps
