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

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

class MemoryLimitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "weir-memory-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    write("proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\n");
    write("proc/self/mountinfo",
          "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n"
          "31 30 0:27 / /sys/fs/cgroup/memory rw,nosuid shared:5 - cgroup cgroup rw,memory\n");
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
  EXPECT_EQ(available().bytes, 4096 * kMebibyte);
  EXPECT_EQ(available().limited_by, "the machine");
}

TEST_F(MemoryLimitTest, ACgroupLeavesItsLimitLessWhatItUsesButNotItsIdleFilePages) {
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/memory.max", "104857600\n");
  write("sys/fs/cgroup/job/memory.current", "52428800\n");
  write("sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 20971520\n");
  EXPECT_EQ(available().bytes, 70 * kMebibyte);
  EXPECT_EQ(available().limited_by, "its cgroup");
}

TEST_F(MemoryLimitTest, OfFilePagesInUseACgroupLeavesWhatTheKernelWouldDrop) {
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/memory.max", "1048576000\n");
  write("sys/fs/cgroup/job/memory.current", "1048576000\n");
  write("sys/fs/cgroup/job/memory.stat", "inactive_file 0\nactive_file 943718400\nslab 1\n");
  EXPECT_EQ(available().bytes, (900 - 32) * kMebibyte);
  write("sys/fs/cgroup/job/memory.stat", "active_file 10485760\ninactive_file 0\n");
  EXPECT_EQ(available().bytes, 5 * kMebibyte);
}

TEST_F(MemoryLimitTest, TheTightestGroupOnTheWayUpCounts) {
  write("proc/self/cgroup", "0::/job/step\n");
  write("sys/fs/cgroup/job/step/memory.max", "max\n");
  write("sys/fs/cgroup/job/memory.max", "1048576\n");
  EXPECT_EQ(available().bytes, kMebibyte);
}

TEST_F(MemoryLimitTest, VersionOneIsReadToo) {
  write("proc/self/cgroup", "4:memory:/job\n3:cpu,cpuacct:/\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2097152\n");
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1048576\n");
  EXPECT_EQ(available().bytes, kMebibyte);
}

TEST_F(MemoryLimitTest, AGroupCountsWhereverItsHierarchyIsMounted) {
  write("proc/self/cgroup", "4:memory:/job\n");
  write("proc/self/mountinfo", "31 30 0:27 / /dev/my\\040groups rw - cgroup cgroup rw,memory\n");
  write("dev/my groups/job/memory.limit_in_bytes", "2097152\n");
  EXPECT_EQ(available().bytes, 2 * kMebibyte);
}

TEST_F(MemoryLimitTest, AHierarchyOfSeveralControllersCounts) {
  write("proc/self/cgroup", "4:memory,hugetlb:/job\n");
  write("proc/self/mountinfo", "31 30 0:27 / /sys/fs/cgroup/memory,hugetlb rw - cgroup cgroup rw,memory,hugetlb\n");
  write("sys/fs/cgroup/memory,hugetlb/job/memory.limit_in_bytes", "2097152\n");
  EXPECT_EQ(available().bytes, 2 * kMebibyte);
}

TEST_F(MemoryLimitTest, VersionTwoBesideVersionOneCounts) {
  write("proc/self/cgroup", "3:cpu,cpuacct:/\n0::/job\n");
  write("proc/self/mountinfo",
        "30 23 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
        "31 23 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
  write("sys/fs/cgroup/unified/job/memory.max", "3145728\n");
  EXPECT_EQ(available().bytes, 3 * kMebibyte);
}

TEST_F(MemoryLimitTest, AContainerThatSeesItsPartOfTheHierarchyFindsItsGroup) {
  write("proc/self/cgroup", "4:memory:/docker/abc/inner\n");
  write("proc/self/mountinfo", "31 30 0:27 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  write("sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "2097152\n");
  EXPECT_EQ(available().bytes, 2 * kMebibyte);
}

TEST_F(MemoryLimitTest, TheMemoryOfTheHostIsAllOfIt) {
  EXPECT_EQ(memory_of_host(folder_.string()).count, 8192 * kMebibyte);
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
  low.rlim_cur = 3072 * kMebibyte;
  write("proc/self/statm", "262144 1 1\n");  // 1 GiB in pages of 4096
  if (before.rlim_max < low.rlim_cur || sysconf(_SC_PAGESIZE) != 4096 || base::kUnderSanitizer)
    GTEST_SKIP();  // sanitizers use address space without end
  ASSERT_EQ(setrlimit(RLIMIT_AS, &low), 0);
  const MemoryLimit all = memory_limit(folder_.string());
  const MemoryLimit physical = physical_memory_limit(folder_.string());
  const auto left = addresses_left(folder_.string());
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(all.bytes, 2048 * kMebibyte);
  EXPECT_EQ(all.limited_by, "ulimit -v");
  EXPECT_EQ(physical.bytes, 4096 * kMebibyte);
  EXPECT_EQ(left, 2048 * kMebibyte);
  if (before.rlim_cur == RLIM_INFINITY) {
    EXPECT_EQ(addresses_left(folder_.string()), std::nullopt);
  }
}

TEST_F(MemoryLimitTest, TheLimitOnDataLimitsWhatIsNotShared) {
  if (std::getenv("QEMU_LD_PREFIX") != nullptr) GTEST_SKIP() << "QEMU keeps no limit of the program's data";
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_DATA, &before), 0);
  rlimit low = before;
  low.rlim_cur = 3072 * kMebibyte;
  write("proc/self/status", "VmPeak:\t 1 kB\nVmData:\t 1048576 kB\n");
  if (before.rlim_max < low.rlim_cur || base::kUnderSanitizer) GTEST_SKIP();  // sanitizers use data without end
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &low), 0);
  const MemoryLimit all = memory_limit(folder_.string());
  const MemoryLimit shared = shared_memory_limit(folder_.string());
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &before), 0);
  EXPECT_EQ(all.bytes, 2048 * kMebibyte);
  EXPECT_EQ(all.limited_by, "ulimit -d");
  EXPECT_NE(shared.limited_by, "ulimit -d");
}

}  // namespace
}  // namespace weir::platform
