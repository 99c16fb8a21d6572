#include "sched/task_heap.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "base/check.hpp"
#include "platform/prefetch.hpp"

namespace weir::sched {

namespace {
constexpr std::size_t kFirstSlab = std::size_t{16} << 10;
constexpr std::size_t kLargestSlab = std::size_t{1} << 20;
constexpr std::uint32_t kTakenAtOnce = 8;  // tasks that others have ended
// Of those that come next, the lines asked for: what is made meanwhile must take as long as a line from a far core.
constexpr std::uint32_t kAhead = 2 * kTakenAtOnce;
}  // namespace

TaskHeap::~TaskHeap() {
  delete returned_;
  for (Slab* slab = slabs_.load(std::memory_order_relaxed); slab != nullptr;) {
    std::free(slab->memory);
    delete std::exchange(slab, slab->older);
  }
}

Task* TaskHeap::refill(std::size_t c) {
  while (free_[c] == nullptr && take_returned()) {
  }
  if (free_[c] == nullptr) add_slab(c);
  return free_[c];
}

// A few tasks that others have ended. Their lines are in other cores' caches: those of the next few are asked for.
bool TaskHeap::take_returned() noexcept {
  if (returned_ == nullptr) start_returned();
  if (returned_ == nullptr) return false;
  const std::uint32_t end = std::min(taken_ + kTakenAtOnce, returned_->count);
  prefetch_returned(taken_ + kAhead, end + kAhead);
  while (taken_ != end) free(returned_->task[taken_++]);
  if (taken_ != returned_->count) return true;
  FreeBatch* const batch = returned_;
  batch->count = 0;
  batch->from == nullptr ? delete batch : batch->from->empty_.push(batch);
  start_returned();
  return true;
}

void TaskHeap::start_returned() noexcept {
  taken_ = 0;
  returned_ = remote_.pop();
  if (returned_ != nullptr) prefetch_returned(0, kAhead);
}

// Counted on into the batch that comes next: without, each batch would begin with a wait.
void TaskHeap::prefetch_returned(std::uint32_t from, std::uint32_t to) const noexcept {
  const auto ask = [](const FreeBatch& batch, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < std::min(end, batch.count); ++i) {
      platform::prefetch_to_write(batch.task[i]);
      platform::prefetch_to_write(batch.task[i] + 1);
    }
  };
  const std::uint32_t count = returned_->count;
  ask(*returned_, from, to);
  if (to > count && remote_.next() != nullptr) ask(*remote_.next(), std::max(from, count) - count, to - count);
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
