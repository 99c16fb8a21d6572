// SPDX-License-Identifier: Apache-2.0

// Mutex and Lock: std::mutex and std::unique_lock, annotated, so that clang checks which fields a mutex guards
// (-Wthread-safety, an error in its builds here). Other compilers see nothing of the annotations. SharedMutex with
// SharedLock and ExclusiveLock: the same of std::shared_mutex.
//
// A field says WEIR_GUARDED_BY(mutex_), a function that is called with the mutex held WEIR_REQUIRES(mutex_). What the
// analysis cannot follow has a comment that says why it is right, and WEIR_NOT_ANALYSED.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

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
  void wait_until(std::condition_variable& condition, std::chrono::steady_clock::time_point end) {
    condition.wait_until(lock_, end);
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

// Gives up, until its end, a mutex that the caller holds.
class WEIR_ANNOTATION(scoped_lockable) Unlock {
 public:
  explicit Unlock(Mutex& mutex) WEIR_RELEASE(mutex) : mutex_(mutex) { mutex_.unlock(); }
  ~Unlock() WEIR_RELEASE() { mutex_.lock(); }
  Unlock(const Unlock&) = delete;
  Unlock& operator=(const Unlock&) = delete;

 private:
  Mutex& mutex_;
};

class WEIR_ANNOTATION(capability("shared_mutex")) SharedMutex {
 public:
  void lock() WEIR_ACQUIRE() { mutex_.lock(); }
  void unlock() WEIR_RELEASE() { mutex_.unlock(); }
  void lock_shared() WEIR_ANNOTATION(acquire_shared_capability()) { mutex_.lock_shared(); }
  void unlock_shared() WEIR_ANNOTATION(release_shared_capability()) { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

class WEIR_ANNOTATION(scoped_lockable) ExclusiveLock {
 public:
  explicit ExclusiveLock(SharedMutex& mutex) WEIR_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~ExclusiveLock() WEIR_RELEASE() { mutex_.unlock(); }
  ExclusiveLock(const ExclusiveLock&) = delete;
  ExclusiveLock& operator=(const ExclusiveLock&) = delete;

 private:
  SharedMutex& mutex_;
};

// To read what the mutex guards.
class WEIR_ANNOTATION(scoped_lockable) SharedLock {
 public:
  explicit SharedLock(SharedMutex& mutex) WEIR_ANNOTATION(acquire_shared_capability(mutex)) : mutex_(mutex) {
    mutex_.lock_shared();
  }
  ~SharedLock() WEIR_ANNOTATION(release_generic_capability()) { mutex_.unlock_shared(); }
  SharedLock(const SharedLock&) = delete;
  SharedLock& operator=(const SharedLock&) = delete;

 private:
  SharedMutex& mutex_;
};

}  // namespace weir::base
