// SPDX-License-Identifier: Apache-2.0

#include "platform/held_at_fork.hpp"

#include <pthread.h>

#include <array>
#include <cstddef>

#include "base/check.hpp"

namespace weir::platform {

namespace {

constexpr std::size_t kMostHeld = 16;  // of this library

// Constant-initialised: static objects of other files are entered before those of this one are made. Not guarded: they
// are made one after the other.
struct HeldAtFork {
  std::array<base::Mutex& (*)(), kMostHeld> mutex_of{};
  std::size_t count = 0;
};
constinit HeldAtFork held_mutexes;

// Taken by one of these functions and given back by another one.
void hold_all() WEIR_NOT_ANALYSED {
  for (std::size_t i = 0; i < held_mutexes.count; ++i) held_mutexes.mutex_of[i]().lock();
}
void release_all() WEIR_NOT_ANALYSED {
  for (std::size_t i = 0; i < held_mutexes.count; ++i) held_mutexes.mutex_of[i]().unlock();
}

}  // namespace

bool hold_at_fork(base::Mutex& (*mutex)()) noexcept {
  WEIR_CHECK(held_mutexes.count < kMostHeld, "more mutexes are to be held at a fork() than there is room for");
  if (held_mutexes.count == 0) pthread_atfork(&hold_all, &release_all, &release_all);
  held_mutexes.mutex_of[held_mutexes.count++] = mutex;
  return true;
}

}  // namespace weir::platform
