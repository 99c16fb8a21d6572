// SPDX-License-Identifier: Apache-2.0

// What happens where io_uring is forbidden: as many containers do, with a seccomp filter, in a process of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>

#include "io_support.hpp"
#include "platform/async_io.hpp"

namespace weir::platform {
namespace {

// The second where there was none to forbid, as under QEMU.
const std::string kForbidden = "(Operation not permitted|Function not implemented)";

void forbid_io_uring() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program{static_cast<unsigned short>(std::size(filter)), filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

[[noreturn]] void open_twice_and_transfer() {
  forbid_io_uring();
  const auto first = open_async_io(), second = open_async_io();
  const TestFile file;
  std::byte byte{7};
  const bool works = first && second && transfer(**second, file.fd(), true, 0, {&byte, 1});
  std::fprintf(stderr, "backend %s", (*second)->name());
  std::_Exit(works ? 0 : 1);
}

[[noreturn]] void insist() {
  forbid_io_uring();
  const auto io = open_async_io({.backend = IoBackend::uring});
  std::fprintf(stderr, "%s", io.status().message.c_str());
  std::_Exit(io.status().code == base::Code::unsupported ? 0 : 1);
}

void drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2]{};
  syscall(SYS_capset, &header, none);
}

[[noreturn]] void register_beyond_the_limit() {
  const rlimit limit{1 << 20, 1 << 20};
  setrlimit(RLIMIT_MEMLOCK, &limit);
  drop_capabilities();
  const auto io = open_async_io({.backend = IoBackend::uring});
  if (!io) {
    std::fprintf(stderr, "4 MiB not registered (RLIMIT_MEMLOCK is 1024 KiB");  // io_uring is forbidden here
    std::_Exit(0);
  }
  const AlignedMemory memory(4 << 20);
  std::byte other{};
  (*io)->register_memory(memory.span());
  (*io)->forget_memory({&other, 1});  // comes after it
  const TestFile file;
  const bool works{transfer(**io, file.fd(), true, 0, memory.span())};
  std::fprintf(stderr, "%s", (*io)->report().c_str());
  std::_Exit(works ? 0 : 1);
}

TEST(AsyncIoDeathTest, MemoryThatMayNotBePinnedIsUsedAllTheSameAndReported) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(register_beyond_the_limit(), testing::ExitedWithCode(0),
              "4 MiB not registered \\(RLIMIT_MEMLOCK is 1024 KiB");
}

TEST(AsyncIoDeathTest, WithoutIoUringThreadsDoTheWorkAndOneMessageSaysSo) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(open_twice_and_transfer(), testing::ExitedWithCode(0),
              "^weir: io_uring is not available here \\(io_uring_queue_init: " + kForbidden +
                  "\\); files are "
                  "read and written by 4 threads instead[^\n]*\nbackend threads$");
}

[[noreturn]] void open_as_under_valgrind() {
  setenv("LD_PRELOAD", "/usr/libexec/valgrind/vgpreload_core-amd64-linux.so", 1);
  const auto first = open_async_io(), second = open_async_io();
  std::fprintf(stderr, "backend %s", (*second)->name());
  std::_Exit(0);
}

TEST(AsyncIoDeathTest, UnderValgrindThreadsDoTheWorkAndOneMessageSaysSo) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(open_as_under_valgrind(), testing::ExitedWithCode(0),
              "^weir: valgrind runs the program, which io_uring would make hang; files are read and written by 4 "
              "threads instead[^\n]*\nbackend threads$");
}

TEST(AsyncIoDeathTest, IoUringAskedForAndForbiddenIsAnError) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(insist(), testing::ExitedWithCode(0),
              "^io_uring is not available here \\(io_uring_queue_init: " + kForbidden + "\\)");
}

}  // namespace
}  // namespace weir::platform
