// SPDX-License-Identifier: Apache-2.0

// Which checkpoints are in a folder, whenever the runs that write there end.
#include "checkpoint/folder.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace weir::checkpoint {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class Folders : public ::testing::Test {
 protected:
  Folders() {
    std::string name = ::testing::TempDir() + "weir_folder_XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~Folders() override { fs::remove_all(path_); }

  // What is left of a run that ended after it had given a checkpoint its number, and before the one before it was gone.
  void make_whole(int number) const { fs::create_directory(path_ + "/checkpoint." + std::to_string(number)); }
  std::vector<std::string> whole() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_))
      if (entry.path().filename().string().starts_with("checkpoint.")) names.push_back(entry.path().filename());
    return names;
  }

  std::string path_;
};

TEST_F(Folders, RunsThatEndBeforeAnOldCheckpointIsGoneLeaveTwoAtMost) {
  make_whole(41);
  make_whole(42);
  Folder folder = Folder::open(path_).value();
  ASSERT_TRUE(folder.begin());
  EXPECT_THAT(whole(), ElementsAre("checkpoint.42")) << "the next is about to come";
  EXPECT_EQ(last_whole(path_).value(), path_ + "/checkpoint.42");
}

TEST_F(Folders, OneThatCannotBeReadIsNotOneWithoutACheckpoint) {
  make_whole(3);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit none{0, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto whole = last_whole(path_);
  setrlimit(RLIMIT_NOFILE, &limit);
  ASSERT_FALSE(whole);
  EXPECT_THAT(whole.status().message, ::testing::HasSubstr("the folder cannot be read: Too many open files"));
}

TEST_F(Folders, TheOneBeforeGoesWhenTheNextIsWhole) {
  make_whole(9);
  Folder folder = Folder::open(path_).value();
  ASSERT_TRUE(folder.begin());
  EXPECT_THAT(whole(), UnorderedElementsAre("checkpoint.9"));
  ASSERT_TRUE(folder.publish({}));
  EXPECT_THAT(whole(), ElementsAre("checkpoint.10"));
}

}  // namespace
}  // namespace weir::checkpoint
