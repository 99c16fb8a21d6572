#include "apps/common/available_memory.hpp"

#include <gtest/gtest.h>

#include "temporary_folder.hpp"

namespace weir::apps {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

class AvailableMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override { folder_.write("proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\n"); }
  AvailableMemory available() const { return available_memory(folder_.path()); }

  TemporaryFolder folder_;
};

TEST_F(AvailableMemoryTest, WithoutALimitItIsWhatTheMachineHas) {
  EXPECT_EQ(available().bytes, 4096 * kMiB);
  EXPECT_EQ(available().limited_by, "the machine");
}

TEST_F(AvailableMemoryTest, ACgroupLeavesItsLimitLessWhatItUsesButNotItsIdleFilePages) {
  folder_.write("proc/self/cgroup", "0::/job\n");
  folder_.write("sys/fs/cgroup/job/memory.max", "104857600\n");
  folder_.write("sys/fs/cgroup/job/memory.current", "52428800\n");
  folder_.write("sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 20971520\n");
  EXPECT_EQ(available().bytes, 70 * kMiB);
  EXPECT_EQ(available().limited_by, "its cgroup");
}

TEST_F(AvailableMemoryTest, TheTightestGroupOnTheWayUpCounts) {
  folder_.write("proc/self/cgroup", "0::/job/step\n");
  folder_.write("sys/fs/cgroup/job/step/memory.max", "max\n");
  folder_.write("sys/fs/cgroup/job/memory.max", "1048576\n");
  EXPECT_EQ(available().bytes, kMiB);
}

TEST_F(AvailableMemoryTest, VersionOneIsReadToo) {
  folder_.write("proc/self/cgroup", "4:memory:/job\n3:cpu,cpuacct:/\n");
  folder_.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2097152\n");
  folder_.write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1048576\n");
  EXPECT_EQ(available().bytes, kMiB);
}

TEST_F(AvailableMemoryTest, AGroupThatUsesMoreThanItsLimitHasNothingLeft) {
  folder_.write("proc/self/cgroup", "0::/\n");
  folder_.write("sys/fs/cgroup/memory.max", "1048576\n");
  folder_.write("sys/fs/cgroup/memory.current", "2097152\n");
  EXPECT_EQ(available().bytes, 0u);
}

}  // namespace
}  // namespace weir::apps
