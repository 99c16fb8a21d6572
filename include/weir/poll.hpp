// SPDX-License-Identifier: Apache-2.0

// Things that end by themselves without telling any thread, so that they have to be asked: requests of a message
// library, say. Workers of a runtime ask, those without tasks all the time and the others now and then, and no thread
// is there for that alone.
#pragma once

namespace weir {

// One kind of such things, and those of that kind that have not ended. With a Completion (weir/completion.hpp) for each
// it makes tasks end when what they have begun has ended; weir/mpi.hpp is one.
class Poll {
 public:
  Poll() = default;
  Poll(const Poll&) = delete;
  Poll& operator=(const Poll&) = delete;

  // Whether there is something to ask for. Any thread, often.
  virtual bool pending() const noexcept = 0;
  // Asks, and completes what has ended; true when something had. On a thread that may_ask(), and one of each runtime at
  // a time. Must not wait, spawn, or call begin_asking() or end_asking().
  virtual bool ask() noexcept = 0;
  // The same by a worker that has nothing to run, and asks again and again until it calls end_looking(), which it may
  // also do without having asked.
  virtual bool look() noexcept { return ask(); }
  virtual void end_looking() noexcept {}
  // Whether end_looking() is to be called at all, which costs each search a lock; always the same.
  virtual bool counts_lookers() const noexcept { return true; }
  // Whether the calling thread may. When only one thread of the process may, only_one_may_ask() says so.
  virtual bool may_ask() const noexcept { return true; }
  virtual bool only_one_may_ask() const noexcept { return false; }
  // Whether something else asks while no worker does, so that none has to wake now and then for it. A worker
  // that is about to sleep calls hand_over().
  virtual bool others_ask() const noexcept { return false; }
  virtual void hand_over() noexcept {}

 protected:
  ~Poll() = default;
};

// The workers of the calling thread's runtime ask `poll` from now on while something is pending, until the runtime
// ends, or end_asking(). Does nothing when they do already. Throws weir::Error on a thread without a runtime.
void begin_asking(Poll& poll);
// To be called after more was made pending, on a thread of a runtime that asks: a worker that sleeps is woken to ask,
// when none would.
void notify_asking(Poll& poll) noexcept;
// No runtime of the process asks it any more, and none is about to, when this returns. Any thread that does not ask.
void end_asking(Poll& poll) noexcept;

}  // namespace weir
