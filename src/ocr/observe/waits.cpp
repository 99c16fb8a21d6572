// SPDX-License-Identifier: Apache-2.0

#include "ocr/observe/waits.hpp"

#include "base/forever.hpp"
#include "base/mutex.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

namespace {

struct Notes {
  base::Mutex mutex;
  WaitNote* first WEIR_GUARDED_BY(mutex) = nullptr;
};
Notes& notes() noexcept {
  static base::Forever<Notes> all;
  return all.value;
}

// Relaxed: the task runs here.
std::uint64_t generation_of(const sched::Task* task) noexcept {
  return task == nullptr ? 0 : task->generation.load(std::memory_order_relaxed);
}

}  // namespace

WaitNote::WaitNote(const ObjectLocal& local, const WaitedFor& of, const EventWaiter* waiter) noexcept
    : noted_{of, false, local.worker->frame().task, generation_of(local.worker->frame().task), local.worker->index()},
      waiter_(waiter) {
  Notes& all = notes();
  const base::Lock lock(all.mutex);
  next_ = all.first;
  if (next_ != nullptr) next_->before_ = this;
  all.first = this;
}

WaitNote::~WaitNote() {
  Notes& all = notes();
  const base::Lock lock(all.mutex);
  (before_ == nullptr ? all.first : before_->next_) = next_;
  if (next_ != nullptr) next_->before_ = before_;
}

std::vector<NotedWait> noted_waits() {
  std::vector<NotedWait> waits;
  Notes& all = notes();
  const base::Lock lock(all.mutex);
  for (const WaitNote* note = all.first; note != nullptr; note = note->next_) {
    const EventWaiter* const waiter = note->waiter_;
    if (waiter != nullptr && waiter->done.load(std::memory_order_acquire)) continue;  // WAKE-1
    waits.push_back(note->noted_);
    // Relaxed: nothing else is read of the event.
    waits.back().is_lost = waiter != nullptr && waiter->is_lost.load(std::memory_order_relaxed);
  }
  return waits;
}

}  // namespace weir::ocr
