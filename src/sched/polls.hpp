// SPDX-License-Identifier: Apache-2.0

// Polls: what workers ask for whether it has ended (weir/poll.hpp), and which of them is to.
//
// One per team. A worker that looks for work asks in between, and one that runs tasks now and then; of those that sleep
// one per parking lot takes naps instead, while something is pending. docs/protocols/polls.md
//
// POLL-1  who asks, or changes the list, has `asking_`: acquire when it is taken, release when it is given back.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/layout.hpp"
#include "base/mutex.hpp"
#include "weir/poll.hpp"

namespace weir::sched {

class Polls {
 public:
  Polls() = default;
  Polls(const Polls&) = delete;
  Polls& operator=(const Polls&) = delete;

  // Whether there is any; all that a program without them pays for.
  bool any() const noexcept { return count_.load(std::memory_order_relaxed) != 0; }

  // Any thread but one that asks. Throws std::bad_alloc.
  void add(Poll& poll);
  // When it returns no thread asks it, nor will.
  void remove(Poll& poll) noexcept;

  struct Asked {
    bool ended;    // something had
    bool pending;  // there was something to ask for, or another thread asks for it now
  };
  // Any thread: asks each that it may, unless another thread does so now.
  Asked ask() noexcept { return ask_each(&Poll::ask); }
  // The same by a worker that has nothing to run, again and again until end_looking(), which it need not call when
  // counts_lookers() is false after a look.
  bool look() noexcept { return ask_each(&Poll::look).ended; }
  // Relaxed: a poll that is asked was added before, under POLL-1; one that was removed need not be told.
  bool counts_lookers() const noexcept { return counts_lookers_.load(std::memory_order_relaxed); }
  void end_looking() const noexcept;

  enum class Asker : std::uint8_t {
    nobody,   // nothing is pending that the calling thread may ask for
    anybody,  // some thread is to ask
    me,       // no other thread may
  };
  // Who has to ask for what is pending, as the calling thread sees it; without what others ask for.
  Asker wanted() const noexcept;
  // The calling worker is about to sleep.
  void hand_over() const noexcept;

 private:
  class Asking;
  void note_changed() noexcept WEIR_REQUIRES(mutex_);
  Asked ask_each(bool (Poll::*how)() noexcept) noexcept;

  // Both written under both locks.
  std::atomic<std::uint32_t> count_{0};      // relaxed: read after a barrier of PARKLOT-1
  std::atomic<bool> counts_lookers_{false};  // one of them does
  mutable base::Mutex mutex_;                // for those that look at the list and do not ask
  std::vector<Poll*> polls_ WEIR_GUARDED_BY(mutex_);
  alignas(base::kDestructiveSize) std::atomic<bool> asking_{false};  // written by all that ask
};

}  // namespace weir::sched
