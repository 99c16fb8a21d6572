// SPDX-License-Identifier: Apache-2.0

// What a lock guards, said so that clang checks it (-Wthread-safety); nothing for other compilers.
//
// A member is WEIR_GUARDED_BY(mutex_), a function that is called with the lock held WEIR_REQUIRES(mutex_), of a
// base::Mutex that is held by a base::Lock.
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define WEIR_ANNOTATION(x) __attribute__((x))
#else
#define WEIR_ANNOTATION(x)
#endif

#define WEIR_GUARDED_BY(lock) WEIR_ANNOTATION(guarded_by(lock))
#define WEIR_REQUIRES(...) WEIR_ANNOTATION(requires_capability(__VA_ARGS__))
#define WEIR_EXCLUDES(...) WEIR_ANNOTATION(locks_excluded(__VA_ARGS__))
#define WEIR_UNCHECKED WEIR_ANNOTATION(no_thread_safety_analysis)

namespace weir::base {

// As std::mutex.
class WEIR_ANNOTATION(capability("mutex")) Mutex {
 public:
  void lock() WEIR_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  void unlock() WEIR_ANNOTATION(release_capability()) { mutex_.unlock(); }
  bool try_lock() WEIR_ANNOTATION(try_acquire_capability(true)) { return mutex_.try_lock(); }

 private:
  std::mutex mutex_;
};

// As std::lock_guard, and for waits: a std::condition_variable_any waits on it.
class WEIR_ANNOTATION(scoped_lockable) Lock {
 public:
  explicit Lock(Mutex& mutex) WEIR_ANNOTATION(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
  ~Lock() WEIR_ANNOTATION(release_capability()) { mutex_.unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace weir::base
