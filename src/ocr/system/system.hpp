// SPDX-License-Identifier: Apache-2.0

// System: the OCR runtime of the process while it runs: a weir::Runtime, its Locals, and how it ends.
//
// At most one at a time. start() and stop() on the program's first thread, or the one in legacy mode; all else on any.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "ocr/graph/local.hpp"
#include "ocr/report/report.hpp"
#include "runtime/runtime_state.hpp"
#include "sched/blocking.hpp"
#include "weir/runtime.hpp"

namespace weir::ocr {

class System;
class Watch;

// What a thread is for OCR is put aside while it waits: it is in no EDT, and no EDT runs on it.
class WaitingThreads final : public sched::Blocking {
 public:
  explicit WaitingThreads(System& system) noexcept : system_(system) {}
  std::uintptr_t begin(sched::Worker& worker) noexcept override;
  void end(sched::Worker& worker, std::uintptr_t begun) noexcept override;
  void refused(const base::Status& why) noexcept override;

 private:
  System& system_;
};

class System {
 public:
  // Fails when there is one already, or when the options cannot be satisfied.
  static base::Status start(const Options& options, bool report_at_end);
  // Waits for what is running, drops the rest.
  static void stop() noexcept;
  // Null when there is none.
  static System* running() noexcept;

  // The calling thread runs EDTs until shut_down() was called. Returns the exit code.
  u8 run_until_shutdown() noexcept;
  // Waits, while others run EDTs, until the waiter is done or the system shuts down. False: it did, and keeps the
  // waiter.
  bool wait_for(std::unique_ptr<EventWaiter>& waiter) noexcept;

  void shut_down(u8 code) noexcept;
  bool shutting_down() const noexcept { return shutting_down_.load(std::memory_order_acquire); }  // DOWN-1
  u8 exit_code() const noexcept { return exit_code_.load(std::memory_order_relaxed); }

  Runtime& runtime() noexcept { return *runtime_; }
  // Null: it is switched off.
  runtime::Explaining* explaining() noexcept { return state_->explaining.get(); }
  sched::Scheduler& scheduler() noexcept { return *scheduler_; }
  std::uint64_t number() const noexcept { return number_; }
  Tiers& tiers() noexcept { return *tiers_; }
  // Of the calling thread; null when it cannot become a worker.
  Local* make_local() noexcept;
  // Calls f(Local&) for those made so far.
  template <class F>
  void for_each_local(F&& f) {
    const std::lock_guard lock(mutex_);
    for (const auto& local : locals_)
      if (local != nullptr) f(*local);
  }

  // EDTs that have been made ready and have not ended, and how many of them wait within the runtime; a moment's truth
  // when nothing happens meanwhile, which `idle` says.
  struct Activity {
    bool idle;
    std::uint64_t ended;
  };
  Activity activity();
  // A thread waits within the runtime, in an EDT or outside: it will not satisfy anything until it is woken.
  void count_waiting(bool in_edt, int change) noexcept {
    (in_edt ? blocked_ : outside_waits_).fetch_add(change, std::memory_order_acq_rel);
  }
  // Threads other than the runtime's own, and the first: what they will do is not known.
  bool has_guests() const noexcept { return guests_.load(std::memory_order_relaxed); }
  bool first_thread_waits() const noexcept { return outside_waits_.load(std::memory_order_acquire) != 0; }

 private:
  System() = default;
  void end_accounts() noexcept;
  std::atomic<bool> shutting_down_{false};  // DOWN-1: release by who ends it, acquire by workers
  std::atomic<u8> exit_code_{0};
  std::atomic<std::int64_t> blocked_{0};  // EDTs that wait in ocrLegacyBlockProgress()
  std::atomic<bool> guests_{false};
  std::atomic<std::int64_t> outside_waits_{0};
  std::uint64_t number_ = 0;
  bool report_at_end_ = false;
  ExplainedEdts explained_{*this};  // outlives the runtime
  WaitingThreads waiting_{*this};   // outlives the runtime's threads
  std::unique_ptr<Runtime> runtime_;
  weir::detail::RuntimeAccess::State* state_ = nullptr;  // the runtime's, also while that is being destroyed
  sched::Scheduler* scheduler_ = nullptr;
  sched::Worker* first_worker_ = nullptr;
  std::unique_ptr<Tiers> tiers_;
  std::unique_ptr<Watch> watch_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<EventWaiter>> left_;  // guarded by mutex_; of threads that did not wait to the end
  std::vector<std::unique_ptr<Local>> locals_;      // guarded by mutex_; by worker index
};

}  // namespace weir::ocr
