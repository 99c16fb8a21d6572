// SPDX-License-Identifier: Apache-2.0

#include "alloc/tier_heap.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>

#include "base/check.hpp"
#include "memory/tier_plan.hpp"
#include "platform/affinity.hpp"

namespace weir::alloc {

using machine::Machine;
using machine::MemoryNode;
using memory::Arena;

TierHeap::TierHeap(const Machine& machine, memory::TierKind kind, memory::MemoryState state)
    : kind_(kind), state_(std::move(state)), name_(memory::to_string(kind)) {
  if (memory::nodes_of(machine, kind).empty()) {
    status_ = {base::Code::not_found,
               fmt::format("this machine has no {} memory that this process may use", memory::to_string(kind))};
    return;
  }
  memory::TierSpec spec;
  spec.tiers.emplace_back().kind = kind;
  fill(machine, spec);
}

TierHeap::TierHeap(const Machine& machine, memory::MemoryState state) : state_(std::move(state)), name_("all memory") {
  fill(machine, {});
}

void TierHeap::fill(const Machine& machine, const memory::TierSpec& spec) {
  for (const memory::TierRequest& tier : spec.tiers)  // it has them, even where nothing of them is free
    for (const MemoryNodeId id : memory::nodes_of(machine, tier.kind)) add_node(machine.memory_node(id));
  auto plan = memory::plan_tiers(machine, spec, state_);
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
    const auto machine = Machine::discover();  // may fork
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
  void hold() WEIR_NOT_ANALYSED {
    entering_.lock();
    for_each_pool([](TierHeap::Pool& pool) WEIR_NOT_ANALYSED { pool.mutex.lock(); });
  }
  void release() WEIR_NOT_ANALYSED {
    for_each_pool([](TierHeap::Pool& pool) WEIR_NOT_ANALYSED { pool.mutex.unlock(); });
    entering_.unlock();
  }

 private:
  static TierHeap* of(const Machine& machine, std::optional<memory::TierKind> kind) {
    auto state = memory::MemoryState::of_this_system();
    return kind ? new TierHeap(machine, *kind, std::move(state)) : new TierHeap(machine, std::move(state));
  }
  template <class Function>
  void for_each_pool(const Function& function) {
    for (const auto& place : heaps_)
      if (const TierHeap* const heap = place.load(); heap != nullptr)
        for (const auto& pool : heap->pools_) function(*pool);
  }

  base::Mutex entering_;                                       // no heap is entered while it is held
  std::array<std::atomic<TierHeap*>, kAllKinds + 1> heaps_{};  // by kind; never destroyed
};

namespace {

constinit HeapsOfThisSystem heaps_of_this_system;

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

void* TierHeap::allocate_from(Pool& pool, std::size_t bytes, std::size_t alignment) noexcept {
  try {
    const base::Lock lock(pool.mutex);
    Arena* const arena = arena_of(pool);
    return arena == nullptr ? nullptr : arena->address(arena->allocate_aligned(bytes, alignment));
  } catch (const std::exception&) {  // no memory for a message, or no lock
    return nullptr;
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
  pool->owned->free(pool->owned->offset_of(data));
}

std::size_t TierHeap::size_of(const void* data) const noexcept {
  const Pool* const pool = pool_of(data);
  WEIR_CHECK(pool != nullptr, "the size is asked of memory that is not of this heap");
  const base::Lock lock(pool->mutex);
  return pool->owned->size_of(pool->owned->offset_of(data));
}

void TierHeap::count_fallback(const char* whose) noexcept {
  if (fallbacks_.fetch_add(1) > 0) return;
  std::fprintf(stderr, "weir: %s: %s; ordinary memory is used instead, and counted\n", whose,
               status_ ? "the fast memory that it may use is full" : status_.message.c_str());
}

HeapUse TierHeap::use() const {
  HeapUse total;
  double on_nodes = 0;
  for (const auto& pool : pools_) {
    if (pool != pools_.back()) total.budget += pool->config.budget.count;
    const base::Lock lock(pool->mutex);
    if (pool->owned == nullptr) continue;
    const Arena& arena = *pool->owned;
    total.used += arena.used();
    total.peak += arena.peak();
    total.populated += arena.populated();
    on_nodes += arena.obtained_share().value_or(1) * double(arena.populated());
  }
  if (total.populated > 0) total.obtained_share = on_nodes / double(total.populated);
  total.fallbacks = fallbacks_.load();
  return total;
}

}  // namespace weir::alloc
