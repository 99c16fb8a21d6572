// SPDX-License-Identifier: Apache-2.0

// BlockMap: from the footprints of sibling tasks, in the order of their spawning, to the edges between them.
//
// One per scope, used only by the thread that runs the scope's parent; no locks, no threads, no knowledge of tasks.
// What it needs of them it asks a Graph, a template parameter so that the call for an edge is inlined:
//
//   bool add_edge(NodeRef before, NodeRef after);  false: `before` has finished or is stale; the map may forget it.
//                                                  The same edge may come again within one footprint.
//   bool finished(NodeRef) const;                  once true, always true
//   NodeRef make_join();                           an empty node, not to run before it is sealed
//   void seal_join(NodeRef);                       all edges to it are there; also for OpenedReduction::node
//   void* make_lock();                             what commutative tasks on one piece of memory exclude each other
//   void release_lock(void*);                      with; released when all tasks that were given it have finished
//   void commutative(NodeRef self, void* lock);    self holds the lock while it runs; may come twice with the same
//   OpenedReduction open_reduction(const Access&); a group of private copies, and the node that combines them
//   void join_reduction(NodeRef self, void* group);  once per reduce item of a footprint, in their order
//   void cannot_name(const Access&);               a section outside of its watched array: does not return; rows that
//                                                  overlap, or that no memory has: throws. Of a graph that does not
//                                                  have this one such a section ends the process, and such rows name
//                                                  nothing
//   void begin_watching(const Partition&);         the map had not met this watched array before, or has forgotten it;
//                                                  a graph need not have this one
//   std::uint32_t group_of(const Access&);         commutative accesses of different groups are in the order of
//                                                  spawning; a graph need not have this one, either
//
// The map makes all edges: to joins, from members of a reduction to its node, from there to whoever comes next. `self`
// is the `before` of an edge only towards the node of a reduction. Calls come from within the map's own, on its thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "deps/history.hpp"
#include "deps/segment_index.hpp"
#include "deps/table_directory.hpp"

namespace weir::deps {

// Rows one after the other, of which the last ends where there are addresses. Of a region with bytes.
inline bool is_in_order(const Region& region) noexcept {
  std::size_t last = 0, end = reinterpret_cast<std::uintptr_t>(region.base);
  const bool apart = region.rows == 1 || region.stride_bytes >= region.row_bytes;
  return apart && (region.rows == 1 || !__builtin_mul_overflow(region.rows - 1, region.stride_bytes, &last)) &&
         !__builtin_add_overflow(end, last, &end) && !__builtin_add_overflow(end, region.row_bytes, &end);
}

class BlockMap {
 public:
  // `first_join`: in how many pieces a range has to lie before those are joined that no access could tell apart.
  explicit BlockMap(std::size_t first_join = kFirstJoin)
      : history_(arena_), segments_(arena_), first_join_(first_join) {}
  BlockMap(const BlockMap&) = delete;
  BlockMap& operator=(const BlockMap&) = delete;
  // reset() first when commutative accesses were analysed: a lock that is left is lost.
  ~BlockMap() { WEIR_ASSERT(history_.lock_count() == 0, "a block map dies with locks of its graph"); }

  // Makes the edges from earlier siblings to `self` that its footprint asks for, and records self.
  //
  // One task may name the same memory in several items; it then gets all their edges, and none to itself. Ends the
  // process when a section reaches outside of its watched array. When it throws, as the graph does or std::bad_alloc,
  // self may be recorded in part, and has the edges that were made: it must finish, and is not to run, as it may lack
  // others.
  // Budget, without the graph's part: 80 instructions for `inout` on an object named before, 160 on a block of a
  // watched array (bench/micro/deps_bench.cpp).
  template <class Graph>
  void analyse(Graph& graph, NodeRef self, std::span<const Access> footprint);

  // Lets the open reductions be combined. To be called before the scope waits for all its children.
  template <class Graph>
  void close_reductions(Graph& graph) {
    history_.seal_reductions(graph);
  }

  // Combining nodes that are not sealed yet.
  std::size_t open_reductions() const noexcept { return history_.open_reductions(); }

  // All nodes have finished. A small map keeps what it knows of the memory, for speed; a large one is reset.
  template <class Graph>
  void clear(Graph& graph) {
    if (memory_bytes() > kKeepBytes) reset(graph);
  }

  // All nodes have finished, and the scope ends or another one takes the map over: forgets all, keeps little memory.
  template <class Graph>
  void reset(Graph& graph);

  // Pieces of memory outside of watched arrays of which it knows. At most twice those that unfinished tasks have named,
  // or 768, when a footprint has been analysed that names no new ones.
  std::size_t segment_count() const noexcept { return segments_.size(); }

  // What the map holds from the system, but for table directories of watched arrays.
  std::size_t memory_bytes() const noexcept { return arena_.system_bytes() + segments_.system_bytes(); }

 private:
  static constexpr std::size_t kKeepBytes = std::size_t{512} << 10;
  static constexpr std::size_t kKeepBytesAtReset = std::size_t{16} << 10;
  static constexpr std::size_t kFirstSweep = 768;
  static constexpr std::size_t kFirstJoin = 32;

  template <class Graph>
  void visit(Graph& graph, const Access& access);
  template <class Graph>
  void visit_section(Graph& graph, const Access& access);
  template <class Graph>
  void visit_slow(Graph& graph, const Access& access);
  template <class Graph>
  bool visit_new(Graph& graph, std::uintptr_t start, std::uintptr_t end, Mode mode);
  template <class Graph>
  void visit_blocks(Graph& graph, BlockTable& table, const BlockGrid::Blocks& blocks, Mode mode);
  template <class Graph>
  void analyse_reductions(Graph& graph, std::span<const Access> rest);

  template <class Graph>
  void collect(Graph& graph, const Access& access);
  template <class Graph>
  void collect_range(Graph& graph, ByteRange range);
  template <class Graph>
  void collect_unwatched(Graph& graph, ByteRange range);

  template <class Graph>
  BlockTable& watch(Graph& graph, const Partition& partition);
  template <class Graph>
  void inherit_segments(Graph& graph, BlockTable& table);
  template <class Graph>
  void drop_finished_tables(Graph& graph, ByteRange range);
  template <class Graph>
  void drop_finished_segments(Graph& graph, ByteRange range);
  template <class Graph>
  void join_segments(Graph& graph, ByteRange range);
  template <class Graph>
  void sweep_if_grown(Graph& graph);
  template <class Graph>
  void sweep_segments(Graph& graph);
  template <class Graph>
  void sweep_tables(Graph& graph);
  template <class Graph>
  bool drop_if_finished(Graph& graph, Record& record) {
    if (!history_.finished(graph, record)) return false;
    history_.release(graph, record);
    return true;
  }

  Arena arena_;
  History history_;
  SegmentIndex segments_;
  TableDirectory tables_;
  std::vector<Record*> records_;  // of the access under way
  std::vector<BlockTable*> scratch_;
  std::vector<ByteRange> pieces_;
  const std::size_t first_join_;
  std::size_t join_at_ = first_join_;  // pieces of one range
  std::size_t sweep_segments_at_ = kFirstSweep;
  std::size_t sweep_tables_at_ = kFirstSweep;
};

template <class Graph>
[[gnu::noinline]] void BlockMap::analyse(Graph& graph, NodeRef self, std::span<const Access> footprint) {
  history_.begin(self);
  for (const Access *access = footprint.data(), *const end = access + footprint.size(); access != end; ++access) {
    if (access->mode == Mode::reduce) [[unlikely]]
      return analyse_reductions(graph, {access, end});
    if constexpr (HasGroups<Graph>) history_.set_group(graph.group_of(*access));
    visit(graph, *access);
  }
}

// The rest of a footprint from its first reduction on. Reductions come last, so that self never waits for the node of
// one that it is a member of.
template <class Graph>
[[gnu::noinline]] void BlockMap::analyse_reductions(Graph& graph, std::span<const Access> rest) {
  for (const Access& access : rest) {
    if (access.mode == Mode::reduce) continue;
    if constexpr (HasGroups<Graph>) history_.set_group(graph.group_of(access));
    visit(graph, access);
  }
  for (const Access& access : rest) {
    if (access.mode != Mode::reduce) continue;
    collect(graph, access);
    if (!records_.empty()) history_.reduce(graph, records_, access);
  }
}

template <class Graph>
[[gnu::always_inline]] inline void BlockMap::visit(Graph& graph, const Access& access) {
  if (access.partition != nullptr) return visit_section(graph, access);
  const auto start = reinterpret_cast<std::uintptr_t>(access.region.base);
  const std::uintptr_t end = start + access.region.row_bytes;
  Record* const record = segments_.find(start, end);
  if (access.region.rows != 1) [[unlikely]]
    return visit_slow(graph, access);
  if (record != nullptr) return history_.touch(graph, *record, access.mode);
  if (!visit_new(graph, start, end, access.mode)) [[unlikely]]
    visit_slow(graph, access);
}

template <class Graph>
[[gnu::noinline]] void BlockMap::visit_section(Graph& graph, const Access& access) {
  BlockTable* const table = tables_.find(access.partition->id);
  BlockGrid::Rectangle rectangle;
  if (table == nullptr || !table->plain() || !table->grid().locate(access.region, rectangle)) [[unlikely]]
    return visit_slow(graph, access);
  const BlockGrid::Blocks blocks = table->grid().blocks(rectangle);
  if ((blocks.last_row | blocks.last_column) == 0) [[likely]]
    return history_.touch(graph, table->block(blocks.first), access.mode);
  visit_blocks(graph, *table, blocks, access.mode);
}

template <class Graph>
[[gnu::noinline]] void BlockMap::visit_blocks(Graph& graph, BlockTable& table, const BlockGrid::Blocks& blocks,
                                              Mode mode) {
  table.grid().for_each_block(blocks, [&](std::uint64_t i) { history_.touch(graph, table.block(i), mode); });
}

template <class Graph>
[[gnu::noinline]] void BlockMap::visit_slow(Graph& graph, const Access& access) {
  collect(graph, access);
  for (Record* const record : records_) {
    if (record->frozen) {
      history_.follow(graph, *record, access.mode);
    } else {
      history_.touch(graph, *record, access.mode);
    }
  }
}

// False: it may be that some byte was named before.
template <class Graph>
[[gnu::noinline]] bool BlockMap::visit_new(Graph& graph, std::uintptr_t start, std::uintptr_t end, Mode mode) {
  if (start >= end || !tables_.empty()) [[unlikely]] {  // after: more bytes than there are addresses
    if (start >= end) return false;
    scratch_.clear();
    tables_.overlapping({start, end}, scratch_);
    if (!scratch_.empty()) return false;
  }
  if (segments_.size() >= sweep_segments_at_) [[unlikely]]
    sweep_segments(graph);
  Record* const record = segments_.add(start, end);
  if (record == nullptr) [[unlikely]]
    return false;
  history_.begin(graph, *record, mode);
  return true;
}

// Fills records_ with all that the access has to look at. A record may be there twice.
template <class Graph>
void BlockMap::collect(Graph& graph, const Access& access) {
  const Region& region = access.region;
  records_.clear();
  if (region.row_bytes == 0 || region.rows == 0) return;
  if (access.partition == nullptr && !is_in_order(region)) [[unlikely]] {
    if constexpr (requires { graph.cannot_name(access); }) graph.cannot_name(access);
    return;
  }
  sweep_if_grown(graph);
  if (access.partition != nullptr) {
    BlockTable* table = tables_.find(access.partition->id);
    if (table == nullptr) table = &watch(graph, *access.partition);
    table->drop_inherited([&](Record& record) { return drop_if_finished(graph, record); });
    BlockGrid::Rectangle rectangle;
    if (!table->grid().locate(region, rectangle)) [[unlikely]] {
      if constexpr (requires { graph.cannot_name(access); }) graph.cannot_name(access);
      WEIR_CHECK(false, "a footprint names a section that is not within its watched array");
    }
    return table->collect_with_peers(rectangle, records_);
  }
  const auto start = reinterpret_cast<std::uintptr_t>(region.base);
  const bool contiguous = region.rows == 1 || region.stride_bytes == region.row_bytes;
  if (contiguous) return collect_range(graph, {start, start + region.rows * region.row_bytes});
  for (std::size_t row = 0; row < region.rows; ++row) {
    const std::uintptr_t at = start + row * region.stride_bytes;
    collect_range(graph, {at, at + region.row_bytes});
  }
}

template <class Graph>
void BlockMap::collect_range(Graph& graph, ByteRange range) {
  if (Record* const record = segments_.find(range.start, range.end)) {
    records_.push_back(record);
    return;
  }
  scratch_.clear();
  if (!tables_.empty()) tables_.overlapping(range, scratch_);
  if (scratch_.empty()) return collect_unwatched(graph, range);
  for (BlockTable* const table : scratch_) table->collect(range, records_);
  pieces_.clear();
  tables_.unwatched(range, pieces_);
  for (const ByteRange piece : pieces_) collect_unwatched(graph, piece);
}

// Segments that can give no edge any more are dropped rather than split, so that memory of the program that is used
// again in other pieces does not stay cut in small ones.
template <class Graph>
void BlockMap::collect_unwatched(Graph& graph, ByteRange range) {
  if (Record* const record = segments_.find(range.start, range.end)) {
    records_.push_back(record);
    return;
  }
  drop_finished_segments(graph, range);
  segments_.cover(range, records_);
}

template <class Graph>
void BlockMap::drop_finished_segments(Graph& graph, ByteRange range) {
  std::size_t left = 0;
  segments_.visit(range, [&](Segment& segment) {
    if (drop_if_finished(graph, segment.record)) return SegmentIndex::Verdict::remove;
    ++left;
    return SegmentIndex::Verdict::keep;
  });
  if (left >= join_at_) [[unlikely]]
    join_segments(graph, range);
}

// Readers of a whole range that are in flight keep all pieces that were ever cut of it: those whose writers have
// finished become one again. Amortised: a look at each piece when a range has twice as many as were left.
template <class Graph>
[[gnu::noinline]] void BlockMap::join_segments(Graph& graph, ByteRange range) {
  const std::size_t left =
      segments_.join(range, [&](Record& record, Record& next) { return history_.join(graph, record, next); });
  join_at_ = std::max(first_join_, 2 * left);
}

template <class Graph>
void BlockMap::drop_finished_tables(Graph& graph, ByteRange range) {
  scratch_.clear();
  tables_.overlapping(range, scratch_);
  for (BlockTable* const table : scratch_) {
    if (!table->all_records([&](const Record& record) { return history_.finished(graph, record); })) continue;
    table->all_records([&](Record& record) { return history_.release(graph, record), true; });
    tables_.remove(table);
  }
}

// Before what is remembered of finished tasks could outgrow what is of unfinished ones. Amortised: a few operations for
// each segment or table that is added.
template <class Graph>
void BlockMap::sweep_if_grown(Graph& graph) {
  if (segments_.size() >= sweep_segments_at_) [[unlikely]]
    sweep_segments(graph);
  if (tables_.size() >= sweep_tables_at_) [[unlikely]]
    sweep_tables(graph);
}

template <class Graph>
[[gnu::noinline]] void BlockMap::sweep_segments(Graph& graph) {
  segments_.remove_if([&](Segment& segment) { return drop_if_finished(graph, segment.record); });
  sweep_segments_at_ = std::max(kFirstSweep, 2 * segments_.size());
}

template <class Graph>
[[gnu::noinline]] void BlockMap::sweep_tables(Graph& graph) {
  drop_finished_tables(graph, {0, ~std::uintptr_t{0}});
  sweep_tables_at_ = std::max(kFirstSweep, 2 * tables_.size());
}

// First access through this array in the scope.
template <class Graph>
[[gnu::noinline]] BlockTable& BlockMap::watch(Graph& graph, const Partition& partition) {
  auto table = std::make_unique<BlockTable>(partition, arena_);
  if constexpr (requires { graph.begin_watching(partition); }) graph.begin_watching(partition);
  const ByteRange span{table->grid().start(), table->grid().end()};
  drop_finished_tables(graph, span);
  inherit_segments(graph, *table);
  scratch_.clear();
  tables_.overlapping(span, scratch_);
  for (BlockTable* const other : scratch_) {
    if (!other->grid().may_overlap(table->grid())) continue;
    other->add_peer(table.get());
    table->add_peer(other);
  }
  return tables_.add(std::move(table));
}

// From now on the array's bytes are looked up in its table. Segments there leave a frozen copy of their history to it;
// one that also has bytes elsewhere stays for those, hidden.
template <class Graph>
void BlockMap::inherit_segments(Graph& graph, BlockTable& table) {
  const BlockGrid& grid = table.grid();
  segments_.visit({grid.start(), grid.end()}, [&](Segment& segment) {
    if (drop_if_finished(graph, segment.record)) return SegmentIndex::Verdict::remove;
    const ByteRange range{segment.start, segment.end};
    if (!grid.overlaps(range)) return SegmentIndex::Verdict::keep;
    BlockTable::Inherited inherited{range, {}};
    history_.freeze(graph, segment.record, inherited.record);
    table.inherit(inherited);
    const ByteRange run = grid.run_after(range.start);
    if (run.start > range.start || run.end < range.end) return SegmentIndex::Verdict::hide;
    history_.release(graph, segment.record);
    return SegmentIndex::Verdict::remove;
  });
}

template <class Graph>
void BlockMap::reset(Graph& graph) {
  history_.seal_reductions(graph);
  history_.release_locks(graph);
  segments_.clear();
  tables_.clear();
  arena_.reset(kKeepBytesAtReset);
  records_ = {};
  join_at_ = first_join_;
  sweep_segments_at_ = sweep_tables_at_ = kFirstSweep;
}

}  // namespace weir::deps
