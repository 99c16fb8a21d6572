#include "sched/task_heap.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "base/check.hpp"

namespace weir::sched {

namespace {
constexpr std::size_t kFirstSlab = std::size_t{16} << 10;
constexpr std::size_t kLargestSlab = std::size_t{1} << 20;
}  // namespace

TaskHeap::~TaskHeap() {
  take_remote();
  for (Slab* slab = slabs_.load(std::memory_order_relaxed); slab != nullptr;) {
    std::free(slab->memory);
    delete std::exchange(slab, slab->older);
  }
}

Task* TaskHeap::refill(std::size_t c) {
  if (!take_remote() || free_[c] == nullptr) add_slab(c);
  return free_[c];
}

bool TaskHeap::take_remote() noexcept {
  FreeBatch* batch = remote_.exchange(nullptr, std::memory_order_acquire);  // HEAP-1
  if (batch == nullptr) return false;
  while (batch != nullptr) {
    for (std::uint32_t i = 0; i < batch->count; ++i) {
      __builtin_prefetch(batch->task[i], 1);
      __builtin_prefetch(batch->task[i] + 1, 1);
      if (batch->task[i]->size_class != 0) __builtin_prefetch(batch->task[i] + 2, 1);
    }
    for (std::uint32_t i = 0; i < batch->count; ++i) free(batch->task[i]);
    delete std::exchange(batch, batch->next);
  }
  return true;
}

// Slots go on the list in address order: tasks spawned one after the other lie side by side, which the hardware
// prefetcher of another core follows when it runs them.
void TaskHeap::add_slab(std::size_t c) {
  const std::size_t slot = detail::kSlotBytes[c];
  const std::size_t bytes = std::max(next_slab_bytes_[c], kFirstSlab) / slot * slot;
  next_slab_bytes_[c] = std::min(std::max(next_slab_bytes_[c], kFirstSlab) * 2, kLargestSlab);
  auto record = std::make_unique<Slab>();
  const std::size_t rounded = (bytes + base::kDestructiveSize - 1) / base::kDestructiveSize * base::kDestructiveSize;
  auto* const slab = static_cast<std::byte*>(std::aligned_alloc(base::kDestructiveSize, rounded));
  if (slab == nullptr) throw std::bad_alloc();
  WEIR_CHECK((reinterpret_cast<std::uintptr_t>(slab) + bytes) >> 47 == 0, "task memory beyond 47 address bits");
  for (std::size_t offset = bytes; offset >= slot; offset -= slot) {
    Task* task = ::new (slab + offset - slot) Task{};
    task->generation.store(first_generation_, std::memory_order_relaxed);
    task->heap = index_;
    task->size_class = static_cast<std::uint8_t>(c);
    free(task);
  }
  *record = {slab, bytes, slot, slabs_.load(std::memory_order_relaxed)};
  slabs_.store(record.release(), std::memory_order_release);  // HEAP-2
}

}  // namespace weir::sched
