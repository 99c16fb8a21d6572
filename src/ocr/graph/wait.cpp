// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/wait.hpp"

#include <utility>
#include <vector>

#include "base/forever.hpp"
#include "base/mutex.hpp"
#include "ocr/observe/checking.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

namespace {

class Satisfied final : public sched::Condition {
 public:
  Satisfied(const Program& program, const EventWaiter& waiter) noexcept : program_(program), waiter_(waiter) {}
  bool done() noexcept override {
    return waiter_.done.load(std::memory_order_acquire) || program_.shutting_down();  // WAKE-1
  }
  bool prepare_to_sleep() noexcept override { return !done(); }

 private:
  const Program& program_;
  const EventWaiter& waiter_;
};

// Waiters of threads that did not wait to the end.
struct Left {
  base::Mutex mutex;
  std::vector<std::unique_ptr<EventWaiter>> all WEIR_GUARDED_BY(mutex);
};
Left& left() noexcept {
  static base::Forever<Left> the_left;
  return the_left.value;
}

bool wait_until_done(Local& local, std::unique_ptr<EventWaiter>& waiter, const WaitedFor& of) {
  Satisfied condition(local.program, *waiter);
  if (!condition.done()) {
    const WaitNote note(local, of, waiter.get());
    local.worker->wait_until(condition);
  }
  if (waiter->done.load(std::memory_order_acquire)) return true;  // WAKE-1
  const base::Lock lock(left().mutex);
  left().all.push_back(std::move(waiter));
  return false;
}

}  // namespace

std::unique_ptr<EventWaiter> make_waiter(Local& local) {
  auto made = std::make_unique<EventWaiter>(local.program, local.worker, local.current != nullptr);
  local.program.count_waiting(made->in_edt, 1);
  return made;
}

bool wait_for(Local& local, std::unique_ptr<EventWaiter>& waiter, const WaitedFor& of) {
  if (!checking::active()) [[likely]]
    return wait_until_done(local, waiter, of);
  bool done = false;
  {
    const check::WaitPause pause;
    done = wait_until_done(local, waiter, of);
  }
  if (done) checking::waited(*waiter);
  return done;
}

void wake(EventWaiter& waiter, Guid block) noexcept {
  sched::Worker* const worker = waiter.worker;  // the waiter is gone once it is done
  waiter.block = block;
  if (checking::active()) [[unlikely]]
    checking::keep_cause(waiter);
  waiter.program.count_waiting(waiter.in_edt, -1);
  waiter.done.store(true, std::memory_order_release);  // WAKE-1
  worker->unpark();
}

void forget_left_waiters() noexcept {
  const base::Lock lock(left().mutex);
  left().all.clear();
}

}  // namespace weir::ocr
