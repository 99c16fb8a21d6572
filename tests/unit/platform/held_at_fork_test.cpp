// SPDX-License-Identifier: Apache-2.0

#include "platform/held_at_fork.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/sanitizers.hpp"

namespace weir::platform {
namespace {

struct Guarded {
  base::Mutex mutex;
  volatile int one WEIR_GUARDED_BY(mutex) = 0;
  volatile int other WEIR_GUARDED_BY(mutex) = 0;  // the same, but while the mutex is held
};
constinit Guarded guarded;

[[maybe_unused]] const bool kHeld = hold_at_fork([]() -> base::Mutex& { return guarded.mutex; });

TEST(HeldAtFork, AMutexIsFreeInTheChildAndWhatItGuardsIsWhole) {
  if (base::kUnderSanitizer) GTEST_SKIP() << "sanitizers do not follow a fork of several threads";
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) {
      const base::Lock lock(guarded.mutex);
      guarded.one = guarded.one + 1;
      guarded.other = guarded.other + 1;
    }
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      const base::Lock lock(guarded.mutex);
      _exit(guarded.one == guarded.other ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  other.join();
}

}  // namespace
}  // namespace weir::platform
