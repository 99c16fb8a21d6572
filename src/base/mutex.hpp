// SPDX-License-Identifier: Apache-2.0

// Mutex and Lock: std::mutex and std::unique_lock, annotated, so that clang checks which fields a mutex guards
// (-Wthread-safety, an error in its builds here). Other compilers see nothing of the annotations.
//
// A field says WEIR_GUARDED_BY(mutex_), a function that is called with the mutex held WEIR_REQUIRES(mutex_). What the
// analysis cannot follow has a comment that says why it is right, and WEIR_NOT_ANALYSED.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#ifdef __clang__
#define WEIR_ANNOTATION(x) __attribute__((x))
#else
#define WEIR_ANNOTATION(x)
#endif
#define WEIR_GUARDED_BY(mutex) WEIR_ANNOTATION(guarded_by(mutex))
#define WEIR_REQUIRES(...) WEIR_ANNOTATION(requires_capability(__VA_ARGS__))
#define WEIR_ACQUIRE(...) WEIR_ANNOTATION(acquire_capability(__VA_ARGS__))
#define WEIR_RELEASE(...) WEIR_ANNOTATION(release_capability(__VA_ARGS__))
#define WEIR_NOT_ANALYSED WEIR_ANNOTATION(no_thread_safety_analysis)

namespace weir::base {

class WEIR_ANNOTATION(capability("mutex")) Mutex {
 public:
  constexpr Mutex() noexcept = default;
  void lock() WEIR_ACQUIRE() { mutex_.lock(); }
  void unlock() WEIR_RELEASE() { mutex_.unlock(); }

 private:
  friend class Lock;
  std::mutex mutex_;
};

// Holds a mutex until its end, but for what lies between unlock() and lock().
class WEIR_ANNOTATION(scoped_lockable) Lock {
 public:
  explicit Lock(Mutex& mutex) WEIR_ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  ~Lock() WEIR_RELEASE() {}
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  void unlock() WEIR_RELEASE() { lock_.unlock(); }
  void lock() WEIR_ACQUIRE() { lock_.lock(); }
  // Until the condition is notified, or without a reason: to be called in a loop that asks what it waits for.
  void wait(std::condition_variable& condition) { condition.wait(lock_); }
  void wait_for(std::condition_variable& condition, std::chrono::nanoseconds most) { condition.wait_for(lock_, most); }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace weir::base
