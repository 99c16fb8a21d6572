// SPDX-License-Identifier: Apache-2.0

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
  delete batch_;
  for (Slab* slab = slabs_.load(std::memory_order_relaxed); slab != nullptr;) {
    std::free(slab->memory);
    delete std::exchange(slab, slab->older);
  }
}

Task* TaskHeap::refill(std::size_t c) {
  do {
    while (returned_ != end_) {
      Task* const task = next_returned();
      if (task->size_class == c) return task;
      free(task);
    }
  } while (start_batch());
  if (free_[c] == nullptr) add_slab(c);
  return std::exchange(free_[c], free_[c]->next);
}

// The lines of the first few, unless they were asked for while the batch before was used.
bool TaskHeap::start_batch() noexcept {
  if (batch_ != nullptr) {
    batch_->count = 0;
    batch_->from == nullptr ? delete batch_ : batch_->from->empty_.push(batch_);
  }
  const FreeBatch* const known = next_;
  batch_ = remote_.pop();
  next_ = remote_.next();
  returned_ = batch_ == nullptr ? nullptr : batch_->item;
  end_ = batch_ == nullptr ? nullptr : batch_->item + batch_->count;
  if (batch_ == nullptr) return false;
  for (std::ptrdiff_t i = 0; known != batch_ && i < std::min<std::ptrdiff_t>(kAhead, end_ - returned_); ++i)
    ask_for(returned_[i]);
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
  WEIR_CHECK((reinterpret_cast<std::uintptr_t>(slab) + bytes) >> kAddressBits == 0,
             "task memory beyond 48 address bits");
  for (std::size_t offset = bytes; offset >= slot; offset -= slot) {
    Task* task = ::new (slab + offset - slot) Task{};
    task->generation.store(first_generation_, std::memory_order_relaxed);  // relaxed: before HEAP-2 publishes the slab
    task->heap = index_;
    task->size_class = static_cast<std::uint8_t>(c);
    free(task);
  }
  *record = {slab, bytes, slot, slabs_.load(std::memory_order_relaxed)};
  slabs_.store(record.release(), std::memory_order_release);  // HEAP-2
}

}  // namespace weir::sched
