// SPDX-License-Identifier: Apache-2.0

#include "island/memory.hpp"

#include <atomic>

#include "island/checked_memory.hpp"
#include "island/flush_memory.hpp"
#include "island/mapping.hpp"

namespace weir::island {
namespace {

// The caches agree by themselves: a step only keeps the accesses before it from those behind it, for which x86 needs no
// instruction. Fences, as a step has no word of its own to order by; letters are ordered by their numbers, too (MPB-1).
class CoherentMemory final : public MappedMemory {
 public:
  using MappedMemory::MappedMemory;

  bool moves_lines() const noexcept override { return false; }
  // The fences of MPB-1 and MPB-2.
  void write_back(const void*, std::size_t) noexcept override { std::atomic_thread_fence(std::memory_order_release); }
  void invalidate(const void*, std::size_t) noexcept override { std::atomic_thread_fence(std::memory_order_acquire); }
};

base::Result<std::unique_ptr<SharedMemory>> map_coherent(const Segment& segment) {
  auto memory = map_segment(segment);
  if (!memory) return memory.status();
  return std::unique_ptr<SharedMemory>(std::make_unique<CoherentMemory>(std::move(*memory)));
}

}  // namespace

base::Result<std::unique_ptr<SharedMemory>> SharedMemory::map(const Segment& segment, IslandMemory kind,
                                                              std::uint64_t seed) {
  switch (kind) {
    case IslandMemory::coherent: return map_coherent(segment);
    case IslandMemory::flush: return FlushMemory::map(segment);
    case IslandMemory::checked: return CheckedMemory::map(segment, seed);
  }
  return base::Status{base::Code::bad_option, "island_memory: a kind that there is not"};
}

}  // namespace weir::island
