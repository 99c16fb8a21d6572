// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "alloc/tier_heap.hpp"
#include "base/joined.hpp"
#include "base/mutex.hpp"
#include "base/nearest.hpp"
#include "platform/uncaught.hpp"
#include "weir/error.hpp"
#include "weir/tier.hpp"

namespace weir {
namespace {

using alloc::HeapUse;
using alloc::Reach;
using alloc::TierHeap;
using memory::TierKind;

constexpr TierKind kTiers[] = {TierKind::hbm, TierKind::ddr,    TierKind::cxl,
                               TierKind::nvm, TierKind::device, TierKind::memory};

TierKind kind_named(std::string_view tier) {
  const auto* found =
      std::find_if(std::begin(kTiers), std::end(kTiers), [&](TierKind kind) { return tier == to_string(kind); });
  if (found != std::end(kTiers)) return *found;
  std::vector<std::string> known;
  for (const TierKind kind : kTiers) known.emplace_back(to_string(kind));
  throw Error(fmt::format("tier_resource: unknown tier \"{}\"; there are {}{}", tier, base::joined(known, ", "),
                          base::suggestion(tier, known)));
}

// Straight from the heap, for what is too large for a pool, and for the pools themselves.
class HeapResource final : public std::pmr::memory_resource {
 public:
  HeapResource(TierHeap& heap, TierPolicy policy) noexcept : heap_(heap), policy_(policy) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (void* const data = heap_.allocate(bytes, alignment, Reach::all); data != nullptr) return data;
    if (policy_ == TierPolicy::strict) throw std::bad_alloc();
    void* const elsewhere = std::pmr::new_delete_resource()->allocate(bytes, alignment);
    heap_.count_fallback("tier_resource");
    return elsewhere;
  }
  void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override {
    if (heap_.owns(data)) return heap_.free(data);
    std::pmr::new_delete_resource()->deallocate(data, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  TierHeap& heap_;
  const TierPolicy policy_;
};

class PooledResource final : public std::pmr::memory_resource {
 public:
  PooledResource(TierHeap& heap, TierPolicy policy) : heap_(heap, policy), pools_({0, kMostPooled}, &heap_) {}

 private:
  static constexpr std::size_t kMostPooled = 1024;

  static bool is_pooled(std::size_t bytes, std::size_t alignment) noexcept {
    return std::max(bytes, alignment) <= kMostPooled;
  }
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return is_pooled(bytes, alignment) ? pools_.allocate(bytes, alignment) : heap_.allocate(bytes, alignment);
  }
  void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override {
    if (is_pooled(bytes, alignment)) return pools_.deallocate(data, bytes, alignment);
    heap_.deallocate(data, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  HeapResource heap_;
  std::pmr::synchronized_pool_resource pools_;
};

}  // namespace

std::pmr::memory_resource* tier_resource(std::string_view tier, TierPolicy policy) {
  static base::Mutex mutex;
  static std::array<std::array<PooledResource*, 2>, 8> resources{};  // by kind and policy; never destroyed
  const TierKind kind = kind_named(tier);
  TierHeap& heap = TierHeap::shared(kind);
  if (policy > TierPolicy::preferred) {
    throw Error(fmt::format("tier_resource(\"{}\"): there is no TierPolicy {}: strict is 0, preferred 1", tier,
                            static_cast<int>(policy)));
  }
  if (policy == TierPolicy::strict && !heap.status()) {
    throw Error(fmt::format("tier_resource(\"{}\"): {}; TierPolicy::preferred takes ordinary memory instead", tier,
                            heap.status().message));
  }
  const base::Lock lock(mutex);
  PooledResource*& resource = resources.at(static_cast<std::size_t>(kind)).at(static_cast<std::size_t>(policy));
  if (resource == nullptr) resource = new PooledResource(heap, policy);
  return resource;
}

TierUse tier_use(std::string_view tier) {
  const HeapUse use = TierHeap::shared(kind_named(tier)).use();
  return {.budget = use.budget,
          .used = use.used,
          .peak = use.peak,
          .populated = use.populated,
          .obtained_share = use.obtained_share,
          .fallbacks = use.fallbacks};
}

}  // namespace weir
