// SPDX-License-Identifier: Apache-2.0

#include "island/room.hpp"

#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "../platform/denied_calls.hpp"
#include "child.hpp"
#include "island/segment.hpp"

namespace weir::island {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

class Rooms : public testing::Test {
 protected:
  Rooms() : memory_(map_segment({{64 * kMiB}}).value()), room_(*memory_, 0, [this] { return limit_; }) {}

  platform::MemoryLimit limit_{8 * kMiB, "its cgroup"};
  std::unique_ptr<memory::SharedBacking> memory_;
  Room room_;
};

TEST_F(Rooms, PagesThatTheMachineDoesNotHaveAreRefusedWithWhatThereIs) {
  EXPECT_TRUE(room_.check(8 * kMiB));
  const base::Status status = room_.check(32 * kMiB);
  EXPECT_EQ(status.code, base::Code::no_space);
  EXPECT_EQ(status.message, "32 MiB of it have no pages yet, and its cgroup leaves 8 MiB");
}

TEST_F(Rooms, WhatWasRefusedMayBeAskedForAgainAndLessIsThere) {
  EXPECT_FALSE(room_.check(32 * kMiB));
  EXPECT_TRUE(room_.check(4 * kMiB));
  limit_.bytes = 40 * kMiB;
  EXPECT_TRUE(room_.check(32 * kMiB));
}

TEST_F(Rooms, PagesThatAreThereNeedNoMoreMemory) {
  ASSERT_TRUE(memory_->populate(0, 32 * kMiB));
  limit_.bytes = kMiB;
  EXPECT_TRUE(room_.check(32 * kMiB));
  EXPECT_FALSE(room_.check(40 * kMiB));
}

TEST_F(Rooms, MemoryIsThereOrAskedForOnce) {
  EXPECT_TRUE(room_.check(8 * kMiB));
  limit_.bytes = 0;
  EXPECT_TRUE(room_.check(8 * kMiB));
}

TEST(RoomInCheckedMemory, CopiesOfTheProcessesCount) {
  const auto memory = map_segment({{64 * kMiB}}).value();
  Room room(*memory, 2, [] { return platform::MemoryLimit{60 * kMiB, "its cgroup"}; });
  EXPECT_TRUE(room.check(20 * kMiB));
  EXPECT_EQ(room.check(32 * kMiB).message,
            "32 MiB of it have no pages yet, which with copies in a process take 96 MiB, and its cgroup leaves 60 MiB");
}

// ---- A file whose system is full, in processes whose mounts are their own ----

class RoomInAFile : public testing::Test {
 protected:
  static constexpr int kNoMounts = 76;

  RoomInAFile() {
    std::string name = (std::filesystem::temp_directory_path() / "weir-room-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~RoomInAFile() override { std::filesystem::remove_all(folder_); }

  // f() gives 0 in a process for which the folder has 8 MiB.
  template <class F>
  void expect_well(const F& f) const {
    const int end = Child([&] {
                      const std::string folder = folder_.string();
                      const bool own = unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
                      if (!own || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
                          mount("none", folder.c_str(), "tmpfs", 0, "size=8m") != 0)
                        return kNoMounts;
                      return f();
                    }).wait();
    if (end == kNoMounts) GTEST_SKIP() << "no tmpfs can be mounted here";
    EXPECT_EQ(end, 0);
  }
  std::string segment() const { return (folder_ / "segment").string(); }
  void fill() const {
    std::ofstream file(folder_ / "fill");
    const std::string some(64 << 10, 'x');
    while (file.write(some.data(), static_cast<std::streamsize>(some.size())).flush()) continue;
  }
  static platform::MemoryLimit much() { return {~std::uint64_t{0}, "the machine"}; }

 private:
  std::filesystem::path folder_;
};

bool says_what_is_free(const base::Status& status) {
  if (!status && status.message.find("its file system has 0 KiB free") != std::string::npos) return true;
  std::fprintf(stderr, "%s\n", status ? "no error" : status.message.c_str());
  return false;
}

TEST_F(RoomInAFile, IsKeptForWhatWasAllowedAndMoreIsRefused) {
  expect_well([&] {
    const auto memory = map_segment({{6 * kMiB}, segment()}).value();
    Room room(*memory, 0, much);
    if (!room.check(3 * kMiB)) return 1;
    fill();
    std::memset(memory->data(), 1, 3 * kMiB);  // a signal where the room was not taken
    if (!room.check(4 * kMiB)) return 2;       // what came with the first
    return says_what_is_free(room.check(5 * kMiB)) ? 0 : 3;
  });
}

TEST_F(RoomInAFile, TheLastOfItCanBeHad) {
  expect_well([&] {
    const auto memory = map_segment({{6 * kMiB}, segment()}).value();
    Room room(*memory, 0, much);
    std::ofstream(segment() + "2") << std::string(5 * kMiB, 'x');
    if (!room.check(3 * kMiB)) return 1;  // and not 4
    std::memset(memory->data(), 1, 3 * kMiB);
    return says_what_is_free(room.check(3 * kMiB + 4096)) ? 0 : 2;
  });
}

TEST_F(RoomInAFile, IsAskedForWhereTheSystemPromisesNothing) {
  expect_well([&] {
    const auto memory = map_segment({{6 * kMiB}, segment()}).value();
    Room room(*memory, 0, much);
    if (!test::deny(EOPNOTSUPP, {SYS_fallocate})) return kNoMounts;
    if (!room.check(3 * kMiB)) return 1;
    fill();
    return says_what_is_free(room.check(5 * kMiB)) ? 0 : 2;
  });
}

TEST_F(RoomInAFile, IsAllowedWhatItHolds) {
  expect_well([&] {
    const auto memory = map_segment({{6 * kMiB}, segment()}).value();
    std::memset(memory->data(), 1, 6 * kMiB);
    fill();
    return Room(*memory, 0, much).check(6 * kMiB) ? 0 : 1;
  });
}

}  // namespace
}  // namespace weir::island
