// SPDX-License-Identifier: Apache-2.0

// A heap in memory of one kind, with an arena for each memory node: for programs, without a runtime.
//
// Whoever asks gets memory of the node nearest to the CPU he runs on, whichever that is: nothing depends on where the
// thread was bound that has made the heap. Nodes are reserved at their first use, with what
// is free then less a reserve (memory/tier_plan.hpp). Memory that was freed stays with its node's arena until another
// arena of this process finds no room on that node. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "machine/machine.hpp"
#include "memory/arena.hpp"
#include "memory/memory_state.hpp"
#include "memory/tier_spec.hpp"

namespace weir::alloc {

// How far from the nearest node memory may be.
enum class Reach : unsigned char {
  nearest,      // on it
  all,          // on the first one with room, nearest first
  interleaved,  // page after page on another one
};

struct HeapUse {
  std::uint64_t budget = 0, used = 0, peak = 0, populated = 0;  // bytes, all nodes together
  double obtained_share = 1;                                    // of the populated bytes, on their nodes
  std::uint64_t fallbacks = 0;
};

class TierHeap {
 public:
  // Memory of a described machine is not placed.
  TierHeap(const machine::Machine& machine, memory::TierKind kind, const memory::MemoryState& state)
      : TierHeap(machine, kind, state, state) {}
  // Of all kinds that the machine has.
  TierHeap(const machine::Machine& machine, const memory::MemoryState& state) : TierHeap(machine, state, state) {}
  // With reservations of what there may be one day.
  TierHeap(const machine::Machine& machine, memory::TierKind kind, memory::MemoryState state,
           const memory::MemoryState& one_day);
  TierHeap(const machine::Machine& machine, memory::MemoryState state, const memory::MemoryState& one_day);
  ~TierHeap();
  TierHeap(const TierHeap&) = delete;
  TierHeap& operator=(const TierHeap&) = delete;

  // Of this system: one for each kind, made at its first use, never destroyed.
  static TierHeap& shared(memory::TierKind kind);
  // Likewise, of all memory of this system; for Reach::interleaved, over all its nodes.
  static TierHeap& of_all_kinds();
  // Of these, the one that has given `data`; null when none has.
  static TierHeap* owner_of(const void* data) noexcept;

  // Whether there is such memory that this process may use; full or not.
  bool exists() const noexcept { return !os_nodes_.empty(); }
  // Why there is none to be had; ok when there is some.
  const base::Status& status() const noexcept { return status_; }
  // None: of all kinds.
  std::optional<memory::TierKind> kind() const noexcept { return kind_; }
  // Its nodes, by the kernel's numbers.
  std::span<const int> os_nodes() const noexcept { return os_nodes_; }
  // "hbm", or "all memory".
  const std::string& name() const noexcept { return name_; }
  // Of its nodes, what the kernel reports; 0 bytes when there is none.
  Bytes largest_node() const noexcept { return largest_node_; }

  // `alignment`: a power of two; at least 64 is given. Null when there is no room. Contents: anything.
  // Cost: a lock and an Arena::allocate().
  void* allocate(std::size_t bytes, std::size_t alignment, Reach reach) noexcept;
  bool owns(const void* data) const noexcept;
  // What allocate() gave.
  void free(void* data) noexcept;
  std::size_t size_of(const void* data) const noexcept;

  // The caller took other memory instead. The first time, a line on standard error reports `whose` request and why:
  // `why_none` where there is no such memory and not this heap alone was asked for it.
  void count_fallback(const char* whose, const char* why_none = nullptr) noexcept;
  HeapUse use() const;

 private:
  friend class HeapsOfThisSystem;
  TierHeap(std::optional<memory::TierKind> kind, base::Status why_empty) : kind_(kind), status_(std::move(why_empty)) {}

  // One node, or all of them interleaved.
  struct Pool {
    memory::ArenaConfig config;
    mutable base::Mutex mutex;
    bool tried WEIR_GUARDED_BY(mutex) = false;
    std::unique_ptr<memory::Arena> owned WEIR_GUARDED_BY(mutex);
    std::atomic<memory::Arena*> published{nullptr};  // owned, for contains(), which needs no lock
  };

  void fill(const machine::Machine& machine, const memory::TierSpec& spec, const memory::MemoryState& one_day);
  void add_node(const machine::MemoryNode& node);
  void add_pool(const machine::Machine& machine, std::vector<int> os_nodes, std::string name, Bytes budget);
  void find_nearest(const machine::Machine& machine, std::span<const MemoryNodeId> nodes);
  std::span<const std::size_t> nearest_first() const noexcept;
  memory::Arena* arena_of(Pool& pool) WEIR_REQUIRES(pool.mutex);
  void* allocate_from(Pool& pool, std::size_t bytes, std::size_t alignment) noexcept;
  void* try_allocate_from(Pool& pool, std::size_t bytes, std::size_t alignment);
  bool others_give_back(const Pool& pool, std::size_t bytes);
  void count(std::uint64_t before, std::uint64_t after) noexcept;
  Pool* pool_of(const void* data) const noexcept;

  const std::optional<memory::TierKind> kind_;
  memory::MemoryState state_;
  base::Status status_;
  std::string name_;
  Bytes largest_node_;
  std::vector<int> os_nodes_;
  std::vector<std::unique_ptr<Pool>> pools_;       // one for each node, then the interleaved one
  std::vector<std::vector<std::size_t>> nearest_;  // [domain]: pools of nodes, nearest first
  std::vector<std::size_t> domain_of_cpu_;         // by the kernel's number
  std::atomic<std::uint64_t> used_{0}, peak_{0};   // bytes, all pools together
  std::atomic<std::uint64_t> fallbacks_{0};
};

}  // namespace weir::alloc
