// SPDX-License-Identifier: Apache-2.0

// Scope: the children of one parent (a running task, or a thread outside of tasks), counted until all have ended.
//
// Counting costs the usual case no atomic operation: the thread that runs the parent counts what it spawns and what it
// ends itself in plain fields; other workers subtract from one atomic word, in batches. Protocol with all states:
// docs/protocols/scope.md.
//
// SCOPE-1  a remote end subtracts with release; the thread that finds the scope done reads with acquire: it sees what
// the
//          children wrote.
// SCOPE-2  arm() adds what is left to the word, once. From then on the word counts down to its flags alone, and
//          exactly one subtraction, or arm() itself, sees that: it wakes the waiter or ends the detached parent.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>

#include "base/layout.hpp"
#include "base/mutex.hpp"
#include "sched/policy/throttle.hpp"
#include "sched/task.hpp"

namespace weir::sched {

class Scope {
 public:
  enum class Done : std::uint8_t { no, wake_owner, end_parent };

  explicit Scope(ScopeKind kind = ScopeKind::other) noexcept : kind_(kind) {}
  virtual ~Scope() = default;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Owner's thread, before the scope is used: `parent` is the task whose children these are, null outside of tasks.
  void open(Worker* owner, Task* parent) noexcept {
    owner_ = owner;
    parent_ = parent;
  }
  Worker* owner() const noexcept { return owner_; }
  Task* parent() const noexcept { return parent_; }
  ScopeKind kind() const noexcept { return kind_; }

  // ---- Owner's thread only ----
  void count_spawned() noexcept { ++open_; }
  // A child ended on the owner's thread. False when the scope is armed: use subtract().
  [[nodiscard]] bool try_count_ended_here() noexcept {
    if (armed_) return false;
    --open_;
    return true;
  }
  // Children that have not ended, or are not yet reported (at most a batch per worker).
  std::int64_t unfinished() const noexcept {
    if (armed_) return word_.load(std::memory_order_acquire) >> kFlagBits;  // SCOPE-1
    return open_ + (word_.load(std::memory_order_acquire) >> kFlagBits);    // SCOPE-1; word is <= 0
  }
  // How many unfinished children the owner may have before it is throttled.
  std::int64_t limit() const noexcept { return limit_; }
  void set_limit(std::int64_t limit) noexcept {
    constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
    limit_ = limit;
    most_open_ = limit > kNoLimit + word_seen_ ? kNoLimit : limit - word_seen_;
  }
  // How much of that is for looking further ahead (policy::further_than()), and what decides it.
  std::int64_t further() const noexcept { return further_; }
  void set_limit(std::int64_t base, std::int64_t further) noexcept {
    further_ = further;
    set_limit(base + further);
  }
  // A child that is best run in the order of spawning: it waits for several others, or uses blocks.
  void count_in_order() noexcept {
    if (++in_order_ == policy::kManyInOrder) set_limit(limit_ - further_, 0);
  }
  std::int64_t in_order() const noexcept { return in_order_; }
  // Whether more than limit() may be unfinished, by the last look at the word that others write: one comparison.
  // True: exceeds_limit() looks.
  [[nodiscard]] bool may_exceed_limit() const noexcept { return open_ > most_open_; }
  [[nodiscard]] bool exceeds_limit() noexcept {
    // Relaxed: a smaller count seen late throttles once more.
    word_seen_ = word_.load(std::memory_order_relaxed) >> kFlagBits;
    set_limit(limit_);
    return may_exceed_limit();
  }
  // From now on the last child to end is noticed. wake_owner: nothing is left. Idempotent.
  Done arm_for_wait() noexcept { return arm(kArmed); }
  // The parent's function has returned; no thread waits. end_parent: nothing is left, the caller ends the parent.
  Done detach() noexcept { return arm(kArmed | kDetached); }
  // Sets or clears the request to wake the owner at each batch of ended children (it is throttled).
  void notify_progress(bool on) noexcept {
    if (on)
      word_.fetch_or(kProgress, std::memory_order_seq_cst);
    else
      word_.fetch_and(~kProgress, std::memory_order_relaxed);  // relaxed: seen late it wakes once more
  }
  // Called before the owner waits for all children or leaves them alone: what still has to be spawned for them to be
  // complete (the folding of open reductions) is spawned now.
  virtual void before_wait() noexcept {}
  // Called before the owner waits for fewer children: how many of them cannot end before it spawns more, or waits for
  // all (open reductions).
  virtual std::int64_t before_throttle() noexcept { return 0; }
  // The parent's function has returned, and all children have ended: the scope, made with new, destroys itself. Null:
  // the parent ends now. Else it ends later, with the scope that is returned, whose parent it is, too. `failure`, which
  // the scope that the parent is in gets, may be taken. On the worker that ended the last child, in whatever it runs.
  virtual Scope* close(std::exception_ptr& failure) noexcept;
  // All children have ended: ready for new ones.
  void reset() noexcept {
    open_ = word_seen_ = in_order_ = 0;
    set_limit(limit_ - further_, 0);
    armed_ = false;
    word_.store(0, std::memory_order_relaxed);  // relaxed: all children have ended
  }

  // ---- Any worker ----
  // Who runs a child will make so many more children of this scope, or give them back (Worker::give_back()). The one
  // that runs counts in the meantime, so the scope is not done.
  // Relaxed: it is this thread that ends the child later, and says so with release (SCOPE-1).
  void expect(std::int64_t count) noexcept { word_.fetch_add(count << kFlagBits, std::memory_order_relaxed); }
  struct Ended {
    Done done;
    bool progress;  // the owner asked to be woken
  };
  // `count` children ended elsewhere. After it returned anything but end_parent, the scope may be gone.
  Ended subtract(std::int64_t count) noexcept {
    // SCOPE-1, SCOPE-2
    const std::int64_t now = word_.fetch_sub(count << kFlagBits, std::memory_order_acq_rel) - (count << kFlagBits);
    return {done_at(now), (now & kProgress) != 0};
  }

  // ---- Errors: any thread ----
  bool failed() const noexcept { return failed_.load(std::memory_order_relaxed); }  // late is harmless: one more runs
  // Keeps the first exception. False: there was one already.
  bool fail(std::exception_ptr exception) noexcept;
  // Takes the exception out, null when there is none; children run again. All children have ended.
  std::exception_ptr take_failure() noexcept;
  // Looks without taking.
  std::exception_ptr failure() const noexcept;
  // Calls look(failure) while it is not taken; nothing when there is none.
  template <class Look>
  void look_at_failure(Look&& look) const {
    if (!failed()) return;
    const base::Lock lock(failure_mutex_);
    if (failure_) look(failure_);
  }

 private:
  static constexpr int kFlagBits = 3;
  static constexpr std::int64_t kArmed = 1, kDetached = 2, kProgress = 4;

  Done arm(std::int64_t flags) noexcept;
  static Done done_at(std::int64_t word) noexcept {
    if (word >> kFlagBits != 0 || (word & kArmed) == 0) return Done::no;
    return (word & kDetached) != 0 ? Done::end_parent : Done::wake_owner;
  }

  // Owner's thread.
  std::int64_t open_ = 0;       // children spawned, less those that ended here
  std::int64_t most_open_ = 0;  // limit_ - word_seen_
  std::int64_t limit_ = 0;
  std::int64_t further_ = 0;
  std::int64_t in_order_ = 0;
  std::int64_t word_seen_ = 0;  // what the word counted when exceeds_limit() last looked; <= 0
  bool armed_ = false;
  const ScopeKind kind_;  // any thread

  // Workers that end children, in batches.
  alignas(base::kDestructiveSize) std::atomic<std::int64_t> word_{0};  // children left << kFlagBits | flags

  // Read by all workers that run children, hardly ever written; failed_ by the one whose child fails.
  alignas(base::kDestructiveSize) Worker* owner_ = nullptr;
  Task* parent_ = nullptr;
  std::atomic<bool> failed_{false};  // relaxed: a child that starts meanwhile was not cancelled in time
  mutable base::Mutex failure_mutex_;
  std::exception_ptr failure_ WEIR_GUARDED_BY(failure_mutex_);
};

}  // namespace weir::sched
