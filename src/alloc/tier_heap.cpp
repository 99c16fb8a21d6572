// SPDX-License-Identifier: Apache-2.0

#include "alloc/tier_heap.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>

#include "base/check.hpp"
#include "machine/discover.hpp"
#include "memory/tier_plan.hpp"
#include "platform/affinity.hpp"

namespace weir::alloc {

using machine::Machine;
using machine::MemoryNode;
using memory::Arena;

TierHeap::TierHeap(const Machine& machine, memory::TierKind kind, memory::MemoryState state,
                   const memory::MemoryState& one_day)
    : kind_(kind), state_(std::move(state)), name_(memory::to_string(kind)) {
  if (memory::nodes_of(machine, kind).empty()) {
    status_ = {base::Code::not_found,
               fmt::format("this machine has no {} memory that this process may use", memory::to_string(kind))};
    return;
  }
  memory::TierSpec spec;
  spec.tiers.emplace_back().kind = kind;
  fill(machine, spec, one_day);
}

TierHeap::TierHeap(const Machine& machine, memory::MemoryState state, const memory::MemoryState& one_day)
    : state_(std::move(state)), name_("all memory") {
  fill(machine, {}, one_day);
}

void TierHeap::fill(const Machine& machine, const memory::TierSpec& spec, const memory::MemoryState& one_day) {
  for (const memory::TierRequest& tier : spec.tiers)  // it has them, even where nothing of them is free
    for (const MemoryNodeId id : memory::nodes_of(machine, tier.kind)) add_node(machine.memory_node(id));
  auto plan = memory::plan_tiers(machine, spec, one_day);
  if (!plan) {
    status_ = plan.status();
    return;
  }
  std::vector<MemoryNodeId> nodes;
  Bytes total;
  for (const memory::PlannedTier& tier : plan->tiers) {
    for (const auto& [id, budget] : tier.nodes) {
      const MemoryNode& node = machine.memory_node(id);
      if (spec.tiers.empty()) add_node(node);
      add_pool(machine, {node.os_index}, node.name, budget);
      nodes.push_back(id);
      total.count += budget.count;
    }
  }
  find_nearest(machine, nodes);
  add_pool(machine, os_nodes_, fmt::format("{} interleaved", name_), total);
}

void TierHeap::add_node(const MemoryNode& node) {
  os_nodes_.push_back(node.os_index);
  largest_node_.count = std::max(largest_node_.count, node.capacity.count);
}

TierHeap::~TierHeap() = default;

// What shared() and of_all_kinds() have made. The child of fork() must not find a heap locked by a thread that it does
// not have: fork() waits for all of them.
class HeapsOfThisSystem {
 public:
  static constexpr std::size_t kAllKinds = 8;  // behind those of one kind

  TierHeap& at(std::size_t place, std::optional<memory::TierKind> kind) {
    if (TierHeap* const found = heaps_.at(place).load(); found != nullptr) return *found;
    const auto machine = machine::discover_for_all_threads();  // may fork
    std::unique_ptr<TierHeap> made(machine ? of(*machine, kind) : new TierHeap(kind, machine.status()));
    const base::Lock lock(entering_);
    TierHeap* const first = heaps_.at(place).load();  // another thread may have been faster
    if (first != nullptr) return *first;
    heaps_.at(place) = made.get();
    return *made.release();
  }
  TierHeap* owner_of(const void* data) const noexcept {
    for (const auto& place : heaps_)
      if (TierHeap* const heap = place.load(); heap != nullptr && heap->owns(data)) return heap;
    return nullptr;
  }
  // Of each pool.
  template <class Function>
  void for_each_pool(const Function& function) const {
    for (const auto& place : heaps_)
      if (const TierHeap* const heap = place.load(); heap != nullptr)
        for (const auto& pool : heap->pools_) function(*pool);
  }
  void hold() WEIR_NOT_ANALYSED {
    entering_.lock();
    for_each_pool([](TierHeap::Pool& pool) WEIR_NOT_ANALYSED { pool.mutex.lock(); });
  }
  void release() WEIR_NOT_ANALYSED {
    for_each_pool([](TierHeap::Pool& pool) WEIR_NOT_ANALYSED { pool.mutex.unlock(); });
    entering_.unlock();
  }

 private:
  TierHeap* of(const Machine& machine, std::optional<memory::TierKind> kind) const {
    auto state = memory::MemoryState::of_this_system();
    const memory::MemoryState one_day = with_what_is_held(state);
    return kind ? new TierHeap(machine, *kind, std::move(state), one_day)
                : new TierHeap(machine, std::move(state), one_day);
  }
  // What the heaps hold may be given back one day.
  memory::MemoryState with_what_is_held(const memory::MemoryState& state) const {
    memory::MemoryState result = state;
    result.mappable = [this, state] {
      platform::MemoryLimit limit = state.mappable();
      if (limit.limited_by != "ulimit -v") limit.bytes += held(std::nullopt);  // addresses are kept
      return limit;
    };
    result.free_or_cached = [this, state](int node) {
      const Bytes free = state.free_or_cached(node);
      return free.count == 0 ? free : Bytes{free.count + held(node)};
    };
    return result;
  }
  // Bytes, on a node or on all.
  std::uint64_t held(std::optional<int> node) const {
    std::uint64_t total = 0;
    for_each_pool([&](TierHeap::Pool& pool) {
      const auto& nodes = pool.config.os_nodes;
      if (node && std::find(nodes.begin(), nodes.end(), *node) == nodes.end()) return;
      const base::Lock lock(pool.mutex);
      if (pool.owned != nullptr) total += pool.owned->populated() / (node ? nodes.size() : 1);
    });
    return total;
  }

  base::Mutex entering_;                                       // no heap is entered while it is held
  std::array<std::atomic<TierHeap*>, kAllKinds + 1> heaps_{};  // by kind; never destroyed
};

namespace {

constexpr std::size_t kWorthGivingBack = std::size_t{2} << 20;  // a large page

constinit HeapsOfThisSystem heaps_of_this_system;

// None are told apart on a machine with a single one.
bool share_nodes(const memory::ArenaConfig& one, const memory::ArenaConfig& other) {
  const auto is_others = [&](int node) {
    return std::find(other.os_nodes.begin(), other.os_nodes.end(), node) != other.os_nodes.end();
  };
  return one.os_nodes.empty() || other.os_nodes.empty() ||
         std::any_of(one.os_nodes.begin(), one.os_nodes.end(), is_others);
}

[[maybe_unused]] const int kHeapsAtFork =
    pthread_atfork([] { heaps_of_this_system.hold(); }, [] { heaps_of_this_system.release(); },
                   [] { heaps_of_this_system.release(); });

}  // namespace

TierHeap& TierHeap::shared(memory::TierKind kind) {
  return heaps_of_this_system.at(static_cast<std::size_t>(kind), kind);
}

TierHeap& TierHeap::of_all_kinds() { return heaps_of_this_system.at(HeapsOfThisSystem::kAllKinds, std::nullopt); }

TierHeap* TierHeap::owner_of(const void* data) noexcept { return heaps_of_this_system.owner_of(data); }

void TierHeap::add_pool(const Machine& machine, std::vector<int> os_nodes, std::string name, Bytes budget) {
  auto pool = std::make_unique<Pool>();
  pool->config.name = std::move(name);
  pool->config.budget = budget;
  pool->config.memory = state_;
  if (os_nodes.size() > 1) pool->config.page_size = platform::PageSize::small;
  if (machine.is_this_system() && machine.memory_nodes().size() > 1) pool->config.os_nodes = std::move(os_nodes);
  pools_.push_back(std::move(pool));
}

void TierHeap::find_nearest(const Machine& machine, std::span<const MemoryNodeId> nodes) {
  for (const machine::Domain& domain : machine.domains()) {
    const auto& ranked = machine.tiers(domain.id);
    const auto rank = [&](std::size_t pool) { return std::find(ranked.begin(), ranked.end(), nodes[pool]); };
    std::vector<std::size_t>& order = nearest_.emplace_back();
    for (std::size_t pool = 0; pool < nodes.size(); ++pool) order.push_back(pool);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    for (const machine::Core& core : domain.cores) {
      for (const int cpu : core.os_cpus) {
        const auto index = static_cast<std::size_t>(cpu);
        if (domain_of_cpu_.size() <= index) domain_of_cpu_.resize(index + 1);
        domain_of_cpu_[index] = static_cast<std::size_t>(domain.id);
      }
    }
  }
}

std::span<const std::size_t> TierHeap::nearest_first() const noexcept {
  if (nearest_.empty()) return {};
  const auto cpu = static_cast<std::size_t>(std::max(0, platform::current_cpu()));
  return nearest_[cpu < domain_of_cpu_.size() ? domain_of_cpu_[cpu] : 0];
}

// The arena of a pool is reserved here; null when the system refuses even addresses.
memory::Arena* TierHeap::arena_of(Pool& pool) {
  if (pool.tried) return pool.owned.get();
  pool.tried = true;
  auto arena = Arena::make(pool.config);
  if (!arena) {
    std::fprintf(stderr, "weir: %s\n", arena.status().message.c_str());
    return nullptr;
  }
  pool.owned = std::move(*arena);
  pool.published.store(pool.owned.get());
  return pool.owned.get();
}

void* TierHeap::try_allocate_from(Pool& pool, std::size_t bytes, std::size_t alignment) {
  const base::Lock lock(pool.mutex);
  Arena* const arena = arena_of(pool);
  if (arena == nullptr) return nullptr;
  const std::size_t before = arena->used();
  void* const data = arena->address(arena->allocate_aligned(bytes, alignment));
  count(before, arena->used());
  return data;
}

void* TierHeap::allocate_from(Pool& pool, std::size_t bytes, std::size_t alignment) noexcept {
  try {
    void* const data = try_allocate_from(pool, bytes, alignment);
    if (data != nullptr || !others_give_back(pool, bytes)) return data;
    {
      const base::Lock lock(pool.mutex);
      pool.owned->try_again();
    }
    return try_allocate_from(pool, bytes, alignment);
  } catch (const std::exception&) {  // no memory for a message, or no lock
    return nullptr;
  }
}

// Whether memory that the system had not for this pool is there now, as other pools of its nodes had it and do not use
// it.
bool TierHeap::others_give_back(const Pool& pool, std::size_t bytes) {
  {
    const base::Lock lock(pool.mutex);
    if (pool.owned == nullptr || pool.owned->failure() || bytes > pool.config.budget.count) return false;
  }
  std::size_t total = 0;
  const auto ask = [&](Pool& other) {
    if (&other == &pool || !share_nodes(pool.config, other.config)) return;
    const base::Lock lock(other.mutex);
    if (other.owned != nullptr) total += other.owned->give_back(kWorthGivingBack);
  };
  for (const auto& other : pools_) ask(*other);
  heaps_of_this_system.for_each_pool(ask);
  return total > 0;
}

// Of what is used, under the lock of the pool in which that has changed.
void TierHeap::count(std::uint64_t before, std::uint64_t after) noexcept {
  const std::uint64_t now = used_.fetch_add(after - before) + (after - before);
  std::uint64_t peak = peak_.load();
  while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
  }
}

void* TierHeap::allocate(std::size_t bytes, std::size_t alignment, Reach reach) noexcept {
  if (pools_.empty()) return nullptr;
  if (reach == Reach::interleaved) return allocate_from(*pools_.back(), bytes, alignment);
  for (const std::size_t index : nearest_first()) {
    void* data = allocate_from(*pools_[index], bytes, alignment);
    if (data != nullptr || reach == Reach::nearest) return data;
  }
  return nullptr;
}

TierHeap::Pool* TierHeap::pool_of(const void* data) const noexcept {
  for (const auto& pool : pools_) {
    const Arena* const arena = pool->published.load();
    if (arena != nullptr && arena->contains(data)) return pool.get();
  }
  return nullptr;
}

bool TierHeap::owns(const void* data) const noexcept { return pool_of(data) != nullptr; }

void TierHeap::free(void* data) noexcept {
  Pool* const pool = pool_of(data);
  WEIR_CHECK(pool != nullptr, "memory is freed that is not of this heap");
  const base::Lock lock(pool->mutex);
  const std::size_t before = pool->owned->used();
  pool->owned->free(pool->owned->offset_of(data));
  count(before, pool->owned->used());
}

std::size_t TierHeap::size_of(const void* data) const noexcept {
  const Pool* const pool = pool_of(data);
  WEIR_CHECK(pool != nullptr, "the size is asked of memory that is not of this heap");
  const base::Lock lock(pool->mutex);
  return pool->owned->size_of(pool->owned->offset_of(data));
}

void TierHeap::count_fallback(const char* whose, const char* why_none) noexcept {
  if (fallbacks_.fetch_add(1) > 0) return;
  const char* why = "the memory that it may use is full";
  if (!status_) why = exists() || why_none == nullptr ? status_.message.c_str() : why_none;
  std::fprintf(stderr, "weir: %s: %s; ordinary memory is used instead, and counted\n", whose, why);
}

HeapUse TierHeap::use() const {
  HeapUse total;
  double on_nodes = 0;
  for (const auto& pool : pools_) {
    if (pool != pools_.back()) total.budget += pool->config.budget.count;
    const base::Lock lock(pool->mutex);
    if (pool->owned == nullptr) continue;
    const Arena& arena = *pool->owned;
    total.populated += arena.populated();
    on_nodes += arena.obtained_share().value_or(1) * double(arena.populated());
  }
  if (total.populated > 0) total.obtained_share = on_nodes / double(total.populated);
  total.used = used_.load();
  total.peak = peak_.load();
  total.fallbacks = fallbacks_.load();
  return total;
}

}  // namespace weir::alloc
