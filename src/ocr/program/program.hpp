// SPDX-License-Identifier: Apache-2.0

// Program: an OCR program while it runs: whether it ends, and what its threads do.
//
// The System owns it, and it outlives the runtime and all of its threads. Any thread, unless a function says otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/layout.hpp"
#include "base/mutex.hpp"
#include "ocr/ocr.h"

namespace weir {
class Runtime;
}
namespace weir::sched {
class Scheduler;
class Worker;
}  // namespace weir::sched

namespace weir::ocr {

class Program;

// The other ranks of the program, which end when it ends here.
class Elsewhere {
 public:
  virtual void program_ends(u8 code) noexcept = 0;

 protected:
  ~Elsewhere() = default;
};

// How far the EDTs of one worker are. The worker writes it; a thread reads it that pauses the program, or that asks
// whether anything can still happen.
struct alignas(base::kDestructiveSize) Activity {
  std::atomic<std::uint64_t> readied{0};  // EDTs; PROGRESS-1
  std::atomic<std::uint64_t> ended{0};    // EDTs; PROGRESS-1
  std::atomic<bool> running{false};       // an EDT; PAUSE-1

  static void add(std::atomic<std::uint64_t>& counter) noexcept {
    // PROGRESS-1. Relaxed: only the worker writes it.
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
};

// What this layer keeps per worker. Each layer above adds its own part to that of the layer beneath it, and its
// functions take the part of their layer; graph/local.hpp has the last. The thread that is the worker uses it, and no
// other.
struct ProgramLocal {
  ProgramLocal(sched::Worker& w, Program& p);
  ProgramLocal(const ProgramLocal&) = delete;
  ProgramLocal& operator=(const ProgramLocal&) = delete;

  sched::Worker* worker;
  Program& program;
  Activity activity;

 protected:
  ~ProgramLocal();
};

class Program {
 public:
  // Once, by the thread that starts it, before any other thread knows the Program.
  void begin(Runtime& runtime, sched::Scheduler& scheduler) noexcept;
  Runtime& runtime() noexcept { return *runtime_; }
  sched::Scheduler& scheduler() noexcept { return *scheduler_; }

  // The program ends, on all ranks.
  void shut_down(u8 code) noexcept;
  // It does on this one, since it has on another.
  void shut_down_here(u8 code) noexcept;
  // None, until this was called; before any other thread knows the Program.
  void set_elsewhere(Elsewhere* others) noexcept { elsewhere_ = others; }
  bool shutting_down() const noexcept { return shutting_down_.load(std::memory_order_acquire); }  // DOWN-1
  u8 exit_code() const noexcept { return exit_code_.load(std::memory_order_relaxed); }

  // Nothing is ready, and what runs waits within the runtime; and how many EDTs have ended. It is a moment's truth, if
  // nothing happens while it is asked: two equal numbers of two calls say that.
  struct Progress {
    bool idle;
    std::uint64_t ended;
  };
  Progress progress();
  // This rank has been idle for a while, and nothing unseen could end that: as the Watch last saw it.
  void set_stands_still(bool it_does) noexcept { stands_still_.store(it_does, std::memory_order_release); }
  bool stands_still() const noexcept { return stands_still_.load(std::memory_order_acquire); }
  // A thread waits within the runtime, in an EDT or outside: it will not satisfy anything until it is woken.
  void count_waiting(bool in_edt, int change) noexcept {
    (in_edt ? blocked_ : outside_waits_).fetch_add(change, std::memory_order_acq_rel);
  }
  // EDTs whose functions have returned, and whose tasks of the C++ API have not all ended: what they do is as if the
  // EDT still ran, so the program ends after them. Any thread.
  void count_late(std::int64_t change) noexcept;
  // For the first worker, after shut_down(): it is unparked when there are none any more.
  bool has_late() noexcept { return late_.fetch_add(0) != 0; }  // DOWN-2
  bool has_blocked_edts() const noexcept { return blocked_.load(std::memory_order_acquire) != 0; }
  // A checkpoint keeps EDTs from blocks that it has not written yet, and will let them go on by itself. KEEP-1
  void set_keeps_blocks(bool it_does) noexcept { keeps_blocks_.store(it_does, std::memory_order_release); }
  bool keeps_blocks() const noexcept { return keeps_blocks_.load(std::memory_order_acquire); }
  // Threads other than the runtime's own, and the first: what they will do is not known.
  void note_guest() noexcept { guests_.store(true, std::memory_order_relaxed); }
  bool has_guests() const noexcept { return guests_.load(std::memory_order_relaxed); }
  bool first_thread_waits() const noexcept { return outside_waits_.load(std::memory_order_acquire) != 0; }
  // No thread but the runtime's own can bring anything about.
  bool is_alone() const noexcept { return first_thread_waits() && !has_guests() && !shutting_down(); }

  // Calls f(const ProgramLocal&) for all there are.
  template <class F>
  void for_each_local(F&& f) {
    const base::Lock lock(mutex_);
    for (const ProgramLocal* const local : locals_) f(*local);
  }

 private:
  friend struct ProgramLocal;

  Runtime* runtime_ = nullptr;
  sched::Scheduler* scheduler_ = nullptr;
  Elsewhere* elsewhere_ = nullptr;
  std::atomic<bool> shutting_down_{false};  // DOWN-1: release by the thread that ends it, acquire by workers
  std::atomic<u8> exit_code_{0};
  std::atomic<std::int64_t> blocked_{0};  // EDTs that wait in ocrLegacyBlockProgress()
  std::atomic<std::int64_t> late_{0};     // EDTs; DOWN-2
  std::atomic<bool> guests_{false};
  std::atomic<bool> stands_still_{false};
  std::atomic<bool> keeps_blocks_{false};  // KEEP-1
  std::atomic<std::int64_t> outside_waits_{0};
  base::Mutex mutex_;
  std::vector<const ProgramLocal*> locals_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::ocr
