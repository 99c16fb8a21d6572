// SPDX-License-Identifier: Apache-2.0

// Files while signals come, and files that end early.
#include "platform/file_io.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "platform/descriptor.hpp"
#include "platform/process.hpp"

namespace {
int interruptions = 0;              // how often a call is to end because of a signal
std::int64_t between_signals = -1;  // so much is reserved from one to the next; below 0: none comes

bool is_interrupted() {
  if (interruptions == 0) return false;
  --interruptions;
  errno = EINTR;
  return true;
}
}  // namespace

// These are the C library's in the place of which the program's are. Some file systems over a network end the first two
// because of a signal; the third tmpfs of older kernels, whenever one is pending, and it gives back what it had.
extern "C" int fsync(int fd) { return is_interrupted() ? -1 : static_cast<int>(syscall(SYS_fsync, fd)); }
extern "C" int fdatasync(int fd) { return is_interrupted() ? -1 : static_cast<int>(syscall(SYS_fdatasync, fd)); }
extern "C" int fallocate(int fd, int mode, off_t from, off_t bytes) {
  if (between_signals < 0 || bytes <= between_signals)
    return static_cast<int>(syscall(SYS_fallocate, fd, mode, from, bytes));
  ++interruptions;
  errno = EINTR;
  return -1;
}

namespace weir::platform {
namespace {

TEST(FilesAmongSignals, SpaceIsReserved) {
  constexpr std::uint64_t kFrom = 5000, kBytes = (std::uint64_t{64} << 20) + 100;
  const Descriptor file(open_nameless(testing::TempDir()));
  ASSERT_TRUE(file.is_open());
  interruptions = 0;
  between_signals = std::int64_t{5} << 20;
  ASSERT_EQ(reserve_space(file.number(), kFrom, kBytes), 0);
  between_signals = -1;
  EXPECT_GT(std::exchange(interruptions, 0), 1);
  struct stat now {};
  ASSERT_EQ(fstat(file.number(), &now), 0);
  EXPECT_EQ(static_cast<std::uint64_t>(now.st_size), kFrom + kBytes);
  EXPECT_GE(static_cast<std::uint64_t>(now.st_blocks) * 512, kBytes);
}

TEST(FilesAmongSignals, WhatCannotBeReservedIsSaid) {
  const Descriptor file(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(reserve_space(file.number(), 0, 4096), ENODEV);
}

TEST(FilesAmongSignals, ContentsAreOnTheDeviceHoweverOftenThatIsInterrupted) {
  const Descriptor file(open_nameless(testing::TempDir()));
  ASSERT_TRUE(file.is_open());
  for (int (*const sync_by)(int) noexcept : {sync, sync_contents}) {
    interruptions = 3;
    EXPECT_EQ(sync_by(file.number()), 0);
    EXPECT_EQ(interruptions, 0);
    EXPECT_EQ(sync_by(-1), EBADF);
  }
}

TEST(FilesThatEndEarly, AreSaidToWhereMoreIsRead) {
  const Descriptor file(open_nameless(testing::TempDir()));
  const std::string_view text = "ten bytes.";
  ASSERT_EQ(write_all(file.number(), text.data(), text.size(), 0), 0);
  std::array<char, 7> read{};
  EXPECT_EQ(read_all(file.number(), read.data(), read.size(), 3), 0);
  EXPECT_EQ(std::string_view(read.data(), read.size()), text.substr(3));
  EXPECT_EQ(read_all(file.number(), read.data(), read.size(), 4), kEndOfFile);
  EXPECT_EQ(read_all(-1, read.data(), 1, 0), EBADF);
}

}  // namespace
}  // namespace weir::platform
