// SPDX-License-Identifier: Apache-2.0

#include "alloc/huge_pages.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace weir::alloc {
namespace {

// As the kernel tells of huge pages, in a folder of this test.
class ToldHugePages : public testing::Test {
 protected:
  ToldHugePages() { std::filesystem::create_directories(folder_); }
  ~ToldHugePages() override { std::filesystem::remove_all(folder_); }

  void tell(const char* name, int pages) { std::ofstream(folder_ + "/" + name) << pages << "\n"; }

  const std::string folder_ = testing::TempDir() + "weir-huge-pages-" + std::to_string(getpid());
};

TEST_F(ToldHugePages, AreThereWhereSomeAreSetAsideThoughNoneIsFree) {
  tell("free_hugepages", 0);
  tell("nr_hugepages", 5);
  EXPECT_TRUE(has_huge_pages(folder_));
}

TEST_F(ToldHugePages, AreThereWhereTheKernelMakesThemWhenTheyAreAskedFor) {
  tell("nr_hugepages", 0);
  tell("nr_overcommit_hugepages", 5);
  EXPECT_TRUE(has_huge_pages(folder_));
}

TEST_F(ToldHugePages, AreNotThereWhereTheKernelHasNoneOrDoesNotTell) {
  EXPECT_FALSE(has_huge_pages(folder_));
  tell("nr_hugepages", 0);
  tell("nr_overcommit_hugepages", 0);
  EXPECT_FALSE(has_huge_pages(folder_));
}

}  // namespace
}  // namespace weir::alloc
