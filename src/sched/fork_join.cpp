// SPDX-License-Identifier: Apache-2.0

// fork_join() beyond its quick path: the thief runs a half, the owner waits for one that was stolen.
#include "sched/fork.hpp"

#include <exception>

#include "platform/exceptions_apart.hpp"
#include "sched/blocking.hpp"
#include "sched/task_text.hpp"
#include "sched/worker.hpp"

namespace weir::sched {

namespace {

class HalfEnded final : public Condition {
 public:
  explicit HalfEnded(detail::ForkHalf& half) noexcept : half_(half) {}
  bool done() noexcept override { return half_.state.load(std::memory_order_acquire) == kForkDone; }  // FORK-1
  bool prepare_to_sleep() noexcept override {
    std::uint32_t expected = kForkOffered;
    half_.state.compare_exchange_strong(expected, kForkOwnerSleeps, std::memory_order_acq_rel);
    return expected != kForkDone;
  }
  trace::WaitFor what() const noexcept override { return trace::WaitFor::half; }

 private:
  detail::ForkHalf& half_;
};

}  // namespace

template <bool kTraced>
void Runner::run_half(detail::ForkHalf* half) noexcept {
  flush();
  [[maybe_unused]] const std::uint64_t start = kTraced ? trace::Track::now() : 0;
  Frame& frame = frames_.enter(nullptr);
  try {
    half->run(half);
    if (frame.children != nullptr) {
      self_.wait_for_children(*frame.children);
      if (std::exception_ptr failure = frame.children->take_failure()) std::rethrow_exception(failure);
    }
  } catch (...) {
    half->exception = std::current_exception();
    if (half->exception == nullptr) refuse_to_leave_thread(nullptr);
  }
  // Not in the handler: what runs meanwhile would see the exception.
  if (half->exception != nullptr && frame.children != nullptr) self_.wait_for_children(*frame.children);
  delete frame.children;
  frame.children = nullptr;
  frames_.leave(frame);
  if constexpr (kTraced) track()->task(start, trace::Track::now(), 0, nullptr, false);
  WorkerStatistics::add(counters().run);
  notify_fork_owner(*half);
}

template void Runner::run_half<false>(detail::ForkHalf* half) noexcept;
template void Runner::run_half<true>(detail::ForkHalf* half) noexcept;

bool Worker::join_slow(detail::ForkHalf& half, Item item) noexcept {
  const AtWork at_work(presence());
  const platform::ExceptionsApart apart;
  return join_slow_busy(half, item);
}

bool Worker::join_slow_busy(detail::ForkHalf& half, Item item) noexcept {
  const Item own = item_of(half);
  // Thieves take the oldest first: what is left above the half is newer than it, and comes first.
  while (item != 0) {
    if (item == own) return true;
    if (half.state.load(std::memory_order_acquire) == kForkDone) {  // FORK-1; a wait in the first half has run it
      queues().push(item);
      return false;
    }
    if (team().blocking() != nullptr && (item & StealDeque::kAlone) == 0) {
      queues().domain().ready.push(reinterpret_cast<Task*>(item));  // it may wait for what follows here
      queues().wake_for_work();
    } else {
      if (current() != this) [[unlikely]]
        set_current(this);  // the first half, or a task, has made another runtime
      run_one(item);
    }
    item = queues().has_next() ? thief().next() : queues().deque().pop();
  }
  HalfEnded condition(half);
  wait_until(condition);
  return false;
}

// Called by the thief: the half may be gone once its state is kForkDone.
void notify_fork_owner(detail::ForkHalf& half) noexcept {
  Worker* const owner = half.owner;
  if (half.state.exchange(kForkDone, std::memory_order_acq_rel) == kForkOwnerSleeps) owner->unpark();  // FORK-1
}

}  // namespace weir::sched
