// SPDX-License-Identifier: Apache-2.0

// StallWatch: the thread that sees when nothing moves, yet tasks wait for room: all that hold some wait for others in
// turn.
//
// Rare enough that a few milliseconds do not matter, and looked at several times, so that it is no moment between two
// steps of a running program. Part of a store, whose mutex it shares.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <thread>

#include "base/mutex.hpp"
#include "data/engine/engine.hpp"

namespace weir::data {

// What a store asks of those who run tasks. Called without the store's lock.
class Sink {
 public:
  // No task runs and none is ready: only the store can make something happen. May be wrong by a moment.
  virtual bool still() noexcept = 0;
  // Nor would a worker take one that became ready: those who could wait for room themselves.
  virtual bool stuck() noexcept = 0;

 protected:
  ~Sink() = default;
};

class StallWatch {
 public:
  // Ends a stall. Called with the mutex held, which it may give up until it returns.
  class Ender {
   public:
    virtual void end_stall(bool stuck) = 0;

   protected:
    ~Ender() = default;
  };
  // What the mutex guards. `changes` grows with each.
  struct Watched {
    const engine::Engine& engine;
    const std::uint64_t& changes;
  };

  // All outlive it.
  StallWatch(base::Mutex& mutex, const Watched& watched, Sink& sink, Ender& ender);
  // Without the mutex. Ends the thread.
  ~StallWatch();
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;

  // Tasks wait for room that only tasks can give back.
  void wake() noexcept { suspicion_.notify_one(); }

 private:
  void watch() noexcept;

  base::Mutex& mutex_;
  const engine::Engine& engine_ WEIR_GUARDED_BY(mutex_);
  const std::uint64_t& changes_ WEIR_GUARDED_BY(mutex_);
  Sink& sink_;
  Ender& ender_ WEIR_GUARDED_BY(mutex_);
  bool stop_ WEIR_GUARDED_BY(mutex_) = false;
  std::condition_variable suspicion_;
  std::thread thread_;
};

}  // namespace weir::data
