// SPDX-License-Identifier: Apache-2.0

#include "platform/cgroup.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace weir::platform {
namespace {

// A made-up root of a file system, removed at the end.
class CgroupTree : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "weir_cgroup_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void file(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  void version2(const std::string& group) {
    file("/proc/self/cgroup", "0::" + group + "\n");
    file("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
  }
  void version1(const std::string& group, const std::string& mount_root) {
    file("/proc/self/cgroup", "5:memory:/other\n3:cpu,cpuacct:" + group + "\n0::/\n");
    file("/proc/self/mountinfo",
         "30 23 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
         "31 23 0:27 " +
             mount_root + " /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
  }

  std::string root_;
};

TEST_F(CgroupTree, WithoutControlGroupsThereIsNoQuota) { EXPECT_EQ(cpu_quota(root_), 0); }

TEST_F(CgroupTree, Version2GivesQuotaOverPeriod) {
  version2("/job");
  file("/sys/fs/cgroup/job/cpu.max", "150000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root_), 1.5);
}

TEST_F(CgroupTree, Version2MaxIsNoQuota) {
  version2("/job");
  file("/sys/fs/cgroup/job/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_quota(root_), 0);
}

TEST_F(CgroupTree, TheTightestGroupOnTheWayToTheRootCounts) {
  version2("/a/b/c");
  file("/sys/fs/cgroup/a/cpu.max", "400000 100000\n");
  file("/sys/fs/cgroup/a/b/cpu.max", "200000 100000\n");
  file("/sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root_), 2);
}

TEST_F(CgroupTree, ANamespaceShowsItsOwnQuotaAtTheTop) {
  version2("/");
  file("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root_), 0.5);
}

TEST_F(CgroupTree, Version1GivesQuotaOverPeriod) {
  version1("/job", "/");
  file("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "300000\n");
  file("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root_), 3);
}

TEST_F(CgroupTree, Version1MinusOneIsNoQuota) {
  version1("/job", "/");
  file("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  file("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(root_), 0);
}

TEST_F(CgroupTree, AContainerThatSeesOnlyItsPartOfTheHierarchyFindsItsGroup) {
  version1("/docker/abc/inner", "/docker/abc");
  file("/sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_quota_us", "100000\n");
  file("/sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root_), 1);
}

TEST_F(CgroupTree, AGroupWhoseNameOnlyBeginsLikeTheMountIsNotInIt) {
  version1("/docker/abcdef", "/docker/abc");
  const auto groups = control_groups("cpu", root_);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].folder, root_ + "/sys/fs/cgroup/cpu,cpuacct");
}

TEST_F(CgroupTree, DamagedFilesAreNoQuota) {
  version2("/job");
  file("/proc/self/mountinfo", "what is this\n30 23 - -\n\n31 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  file("/sys/fs/cgroup/job/cpu.max", "lots of 0\n");
  EXPECT_EQ(cpu_quota(root_), 0);
}

}  // namespace
}  // namespace weir::platform
