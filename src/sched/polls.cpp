// SPDX-License-Identifier: Apache-2.0

#include "sched/polls.hpp"

#include <algorithm>
#include <thread>

namespace weir::sched {

// Has `asking_` while it lives, if it got it.
class Polls::Asking {
 public:
  enum class Want : std::uint8_t { now, in_time };
  Asking(Polls& polls, Want want) noexcept : asking_(polls.asking_) {
    for (;;) {
      has_ = !asking_.load(std::memory_order_relaxed) && !asking_.exchange(true, std::memory_order_acquire);  // POLL-1
      if (has_ || want == Want::now) return;
      std::this_thread::yield();
    }
  }
  ~Asking() {
    if (has_) asking_.store(false, std::memory_order_release);  // POLL-1
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;
  explicit operator bool() const noexcept { return has_; }

 private:
  std::atomic<bool>& asking_;
  bool has_ = false;
};

void Polls::add(Poll& poll) {
  {
    const base::Lock lock(mutex_);
    if (std::find(polls_.begin(), polls_.end(), &poll) != polls_.end()) return;
  }
  const Asking asking(*this, Asking::Want::in_time);
  const base::Lock lock(mutex_);
  if (std::find(polls_.begin(), polls_.end(), &poll) != polls_.end()) return;
  polls_.push_back(&poll);
  note_changed();
}

void Polls::remove(Poll& poll) noexcept {
  const Asking asking(*this, Asking::Want::in_time);
  const base::Lock lock(mutex_);
  std::erase(polls_, &poll);
  note_changed();
}

void Polls::note_changed() noexcept {
  const bool counts =
      std::any_of(polls_.begin(), polls_.end(), [](const Poll* poll) { return poll->counts_lookers(); });
  counts_lookers_.store(counts, std::memory_order_relaxed);
  count_.store(static_cast<std::uint32_t>(polls_.size()), std::memory_order_relaxed);
}

// The list is not changed meanwhile, as that takes `asking_`, too; and the mutex is not kept while others are called.
Polls::Asked Polls::ask_each(bool (Poll::*how)() noexcept) noexcept WEIR_NOT_ANALYSED {
  const Asking asking(*this, Asking::Want::now);
  if (!asking) return {false, true};
  Asked asked{false, false};
  for (Poll* const poll : polls_) {
    if (!poll->pending() || !poll->may_ask()) continue;
    asked.pending = true;
    asked.ended |= (poll->*how)();
  }
  return asked;
}

void Polls::end_looking() const noexcept {
  const base::Lock lock(mutex_);
  for (Poll* const poll : polls_) poll->end_looking();
}

void Polls::hand_over() const noexcept {
  const base::Lock lock(mutex_);
  for (Poll* const poll : polls_)
    if (poll->others_ask()) poll->hand_over();
}

Polls::Asker Polls::wanted() const noexcept {
  const base::Lock lock(mutex_);
  Asker asker = Asker::nobody;
  for (const Poll* const poll : polls_) {
    if (!poll->pending() || poll->others_ask() || !poll->may_ask()) continue;
    if (poll->only_one_may_ask()) return Asker::me;
    asker = Asker::anybody;
  }
  return asker;
}

}  // namespace weir::sched
