// SPDX-License-Identifier: Apache-2.0

#include "shmem/status/outside.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <future>
#include <thread>

#include "base/sanitizers.hpp"
#include "platform/thread_state.hpp"

namespace weir::shmem {
namespace {

// ThreadSanitizer has a thread of its own, and so has QEMU.
const bool kIsAlone = !WEIR_TSAN && std::getenv("QEMU_LD_PREFIX") == nullptr;

bool is_empty(const Outside& outside) {
  const std::uint32_t me[] = {static_cast<std::uint32_t>(platform::this_thread_number())};
  return outside.is_empty(me);
}

// Of a program that does this between the start and its wait, and of a library that does it while it starts.
struct Seen {
  bool of_the_program = false, of_the_library = false;
};
Seen seen(const std::function<void()>& begin, const std::function<void()>& end) {
  Seen seen;
  Outside before;
  before.note_own();
  EXPECT_EQ(is_empty(before), kIsAlone);
  begin();
  seen.of_the_program = !is_empty(before);
  end();
  Outside around;
  begin();
  around.note_own();
  seen.of_the_library = !is_empty(around);
  end();
  EXPECT_EQ(is_empty(around), kIsAlone);
  return seen;
}

void expect_of_the_program_only(const std::function<void()>& begin, const std::function<void()>& end) {
  const Seen result = seen(begin, end);
  EXPECT_TRUE(result.of_the_program);
  EXPECT_EQ(result.of_the_library, !kIsAlone);
}

TEST(Outside, HasThreadsOfTheProgram) {
  std::promise<void> done;
  std::thread other;
  expect_of_the_program_only(
      [&] {
        done = {};
        other = std::thread([wait = done.get_future().share()] { wait.wait(); });
      },
      [&] {
        done.set_value();
        other.join();
      });
}

TEST(Outside, HasThreadsThatRanBeforeTheStart) {
  std::promise<void> done;
  std::thread other([wait = done.get_future().share()] { wait.wait(); });
  Outside outside;
  done.set_value();
  other.join();
  outside.note_own();
  EXPECT_FALSE(is_empty(outside));
}

TEST(Outside, HasHandlersOfTheProgram) {
  expect_of_the_program_only([] { signal(SIGUSR2, [](int) {}); }, [] { signal(SIGUSR2, SIG_DFL); });
}

TEST(Outside, HasHandlersThatTheProgramPutsInPlaceOfTheLibrarys) {
  Outside outside;
  signal(SIGUSR2, [](int) {});
  outside.note_own();
  signal(SIGUSR2, [](int number) { signal(number, SIG_IGN); });
  EXPECT_FALSE(is_empty(outside));
  signal(SIGUSR2, SIG_DFL);
}

TEST(Outside, HasNoHandlersOfFaultsAndOfSignalsThatAreIgnored) {
  Outside outside;
  outside.note_own();
  const auto before = signal(SIGFPE, [](int) {});
  signal(SIGUSR2, SIG_IGN);
  EXPECT_EQ(is_empty(outside), kIsAlone);
  signal(SIGFPE, before);
  signal(SIGUSR2, SIG_DFL);
}

TEST(Outside, HasChildrenAndWhatHasForked) {
  Outside outside;
  outside.note_own();
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  EXPECT_FALSE(is_empty(outside));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(is_empty(outside));  // a child of it may live
}

TEST(Outside, HasFilesOfDevicesThatTheProgramHasOpened) {
  int file = -1;
  const auto open_one = [&] {
    for (const char* const device : {"/dev/fuse", "/dev/net/tun", "/dev/loop-control", "/dev/kmsg"}) {
      if (file < 0) file = open(device, O_RDONLY | O_CLOEXEC);
    }
  };
  open_one();
  if (file < 0) GTEST_SKIP() << "there is no device that may be opened";
  close(file);
  file = -1;
  expect_of_the_program_only(open_one, [&] {
    close(file);
    file = -1;
  });
}

}  // namespace
}  // namespace weir::shmem
