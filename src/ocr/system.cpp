// SPDX-License-Identifier: Apache-2.0

#include "ocr/system.hpp"
#include "ocr/complain.hpp"

#include <cstdio>
#include <exception>

#include "ocr/leftovers.hpp"
#include "ocr/pause.hpp"
#include "ocr/report.hpp"
#include "ocr/watch.hpp"
#include "runtime/tracing.hpp"
#include "sched/scheduler.hpp"

namespace weir::ocr {

namespace {

constinit std::atomic<System*> the_system{nullptr};  // SYS-1: release by start(), acquire by who looks
std::uint64_t last_number = 0;                       // of the thread that starts them
constexpr u8 kNoThread = OCR_ENOMEM;                 // exit code
constexpr std::uintptr_t kRuns = 1, kPauses = 2;     // in a word with a Run*
static_assert(alignof(Run) > (kRuns | kPauses));

class ShutDown final : public sched::Condition {
 public:
  explicit ShutDown(const System& system) noexcept : system_(system) {}
  bool done() noexcept override { return system_.shutting_down(); }
  bool prepare_to_sleep() noexcept override { return !system_.shutting_down(); }  // shut_down() unparks

 private:
  const System& system_;
};

class Satisfied final : public sched::Condition {
 public:
  Satisfied(const System& system, const EventWaiter& waiter) noexcept : system_(system), waiter_(waiter) {}
  bool done() noexcept override {
    return waiter_.done.load(std::memory_order_acquire) || system_.shutting_down();  // WAKE-1
  }
  bool prepare_to_sleep() noexcept override { return !done(); }

 private:
  const System& system_;
  const EventWaiter& waiter_;
};

}  // namespace

System* System::running() noexcept { return the_system.load(std::memory_order_acquire); }  // SYS-1

base::Status System::start(const Options& options, bool report_at_end) {
  if (running() != nullptr) return {base::Code::unsupported, "OCR runs in this process already: finalize it first"};
  std::unique_ptr<System> system(new System);
  forget_complaints();
  try {
    system->runtime_ = std::make_unique<Runtime>(options);
    system->state_ = weir::detail::RuntimeAccess::state(*system->runtime_);
    system->tiers_ = std::make_unique<Tiers>(*system->state_);
  } catch (const std::exception& error) {
    return {base::Code::bad_option, error.what()};
  }
  system->report_at_end_ = report_at_end;
  system->scheduler_ = system->state_->scheduler.get();
  system->scheduler_->let_tasks_block(system->waiting_);
  system->first_worker_ = sched::Worker::current();
  system->number_ = ++last_number;
  if (system->explaining() != nullptr) system->explaining()->set_layer(&system->explained_);
  detail::running_system.store(system->number_, std::memory_order_release);
  system->watch_ = std::make_unique<Watch>(*system);
  the_system.store(system.release(), std::memory_order_release);  // SYS-1
  return base::Status::success();
}

void System::stop() noexcept {
  const std::unique_ptr<System> system(running());
  system->shut_down(system->exit_code());
  system->watch_.reset();
  system->scheduler_->stop_threads();  // waits for the EDTs that run, of which one has ended the program
  if (system->report_at_end_) print_report(*system, "what is left at the end");
  system->end_accounts();
  system->state_->blocks.reset();  // and this for transfers, which know of EDTs and blocks
  system->state_->kept.end();
  drop_leftovers(*system);
  system->runtime_.reset();
  the_system.store(nullptr, std::memory_order_release);
  detail::running_system.store(detail::kNoSystem, std::memory_order_release);
}

// Nobody asks any more, and what the trace has to say of blocks is noted while they are there.
void System::end_accounts() noexcept {
  state_->explaining.reset();
  if (state_->recorder == nullptr) return;
  state_->ended = trace::Track::now();
  try {
    state_->summary = std::make_unique<trace::Summary>(runtime::summarise(*runtime_, *state_));
    state_->summary->counters.push_back({"small_block_slab_bytes", tiers_->bytes_of_slabs()});
  } catch (const std::bad_alloc&) {
    std::fputs("weir: ocr: no memory for the summary of the trace\n", stderr);
    state_->summary = std::make_unique<trace::Summary>();
  }
}

Local* System::make_local() noexcept {
  try {
    sched::Worker& worker = runtime::worker_in(*state_);
    const auto index = static_cast<std::size_t>(worker.index());
    if (worker.is_guest()) guests_.store(true, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    if (locals_.size() <= index) locals_.resize(index + 1);
    if (locals_[index] == nullptr) {
      locals_[index] = std::make_unique<Local>(worker, *tiers_);
    }
    return locals_[index].get();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weir: ocr: this thread cannot use OCR: %s\n", error.what());
    return nullptr;
  }
}

u8 System::run_until_shutdown() noexcept {
  ShutDown condition(*this);
  count_waiting(false, 1);
  first_worker_->serve(condition);
  count_waiting(false, -1);
  return exit_code();
}

// Counted as waiting already.
bool System::wait_for(std::unique_ptr<EventWaiter>& waiter) noexcept {
  Satisfied condition(*this, *waiter);
  local()->worker->wait_until(condition);
  if (waiter->done.load(std::memory_order_acquire)) return true;  // WAKE-1
  const std::lock_guard lock(mutex_);
  left_.push_back(std::move(waiter));
  return false;
}

// A word of all: the EDT that runs, whether one does, and whether it has paused the program.
std::uintptr_t WaitingThreads::begin(sched::Worker&) noexcept {
  Local* const self = local();
  if (self == nullptr) return 0;
  std::uintptr_t begun = reinterpret_cast<std::uintptr_t>(std::exchange(self->current, nullptr));
  if (self->running.exchange(false, std::memory_order_acq_rel)) begun |= kRuns;
  if (is_pausing() && suspend_pause(*self)) begun |= kPauses;
  return begun;
}

void WaitingThreads::end(sched::Worker&, std::uintptr_t begun) noexcept {
  Local* const self = local();
  if (self == nullptr) return;
  self->current = reinterpret_cast<Run*>(begun & ~(kRuns | kPauses));
  if ((begun & kPauses) != 0) continue_pause();
  enter_running(*self, (begun & kRuns) != 0);
}

void WaitingThreads::refused(const base::Status& why) noexcept {
  if (system_.shutting_down()) return;
  std::fflush(stdout);
  std::fprintf(stderr, "weir: ocr: the program ends: %s\n", why.message.c_str());
  system_.shut_down(kNoThread);
}

void System::shut_down(u8 code) noexcept {
  if (code != 0) exit_code_.store(code, std::memory_order_relaxed);
  shutting_down_.store(true, std::memory_order_release);  // DOWN-1
  scheduler_->for_each_worker([](const sched::Worker& worker) { const_cast<sched::Worker&>(worker).unpark(); });
}

// First what has ended, then what became ready: what ends meanwhile makes them differ.
System::Activity System::activity() {
  std::uint64_t ended = 0, readied = 0;
  for_each_local([&](Local& l) { ended += l.ended.load(std::memory_order_acquire); });
  const std::int64_t blocked = blocked_.load(std::memory_order_acquire);
  for_each_local([&](Local& l) { readied += l.readied.load(std::memory_order_acquire); });
  bool idle = readied - ended == static_cast<std::uint64_t>(blocked);
  // Tasks of the C++ API may bring about what EDTs wait for.
  if (idle) scheduler_->for_each_worker([&](const sched::Worker& worker) { idle = idle && !worker.runs_task(); });
  return {idle, ended};
}

}  // namespace weir::ocr
