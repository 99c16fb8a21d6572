// SPDX-License-Identifier: Apache-2.0

#include "platform/memory_limit.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/sanitizers.hpp"

namespace weir::platform {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

class MemoryLimitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "weir-memory-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    write("proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  MemoryLimit available() const { return physical_memory_limit(folder_.string()); }

  std::filesystem::path folder_;
};

TEST_F(MemoryLimitTest, WithoutALimitItIsWhatTheMachineHas) {
  EXPECT_EQ(available().bytes, 4096 * kMiB);
  EXPECT_EQ(available().limited_by, "the machine");
}

TEST_F(MemoryLimitTest, ACgroupLeavesItsLimitLessWhatItUsesButNotItsIdleFilePages) {
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/memory.max", "104857600\n");
  write("sys/fs/cgroup/job/memory.current", "52428800\n");
  write("sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 20971520\n");
  EXPECT_EQ(available().bytes, 70 * kMiB);
  EXPECT_EQ(available().limited_by, "its cgroup");
}

TEST_F(MemoryLimitTest, TheTightestGroupOnTheWayUpCounts) {
  write("proc/self/cgroup", "0::/job/step\n");
  write("sys/fs/cgroup/job/step/memory.max", "max\n");
  write("sys/fs/cgroup/job/memory.max", "1048576\n");
  EXPECT_EQ(available().bytes, kMiB);
}

TEST_F(MemoryLimitTest, VersionOneIsReadToo) {
  write("proc/self/cgroup", "4:memory:/job\n3:cpu,cpuacct:/\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2097152\n");
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1048576\n");
  EXPECT_EQ(available().bytes, kMiB);
}

TEST_F(MemoryLimitTest, AGroupThatUsesMoreThanItsLimitHasNothingLeft) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "1048576\n");
  write("sys/fs/cgroup/memory.current", "2097152\n");
  EXPECT_EQ(available().bytes, 0u);
}

TEST_F(MemoryLimitTest, TheAddressSpaceLimitsNewMappingsOnly) {
  if (std::getenv("QEMU_LD_PREFIX") != nullptr) GTEST_SKIP() << "QEMU keeps no limit of the program's address space";
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit low = before;
  low.rlim_cur = 3072 * kMiB;
  write("proc/self/statm", "262144 1 1\n");  // 1 GiB in pages of 4096
  if (before.rlim_max < low.rlim_cur || sysconf(_SC_PAGESIZE) != 4096 || base::kUnderSanitizer)
    GTEST_SKIP();  // sanitizers use address space without end
  ASSERT_EQ(setrlimit(RLIMIT_AS, &low), 0);
  const MemoryLimit all = memory_limit(folder_.string());
  const MemoryLimit physical = physical_memory_limit(folder_.string());
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(all.bytes, 2048 * kMiB);
  EXPECT_EQ(all.limited_by, "ulimit -v");
  EXPECT_EQ(physical.bytes, 4096 * kMiB);
}

}  // namespace
}  // namespace weir::platform
