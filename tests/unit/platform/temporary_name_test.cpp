// SPDX-License-Identifier: Apache-2.0

#include "platform/temporary_name.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

namespace weir::platform {
namespace {

namespace fs = std::filesystem;

class TemporaryNames : public testing::Test {
 protected:
  TemporaryNames() {
    std::string name = testing::TempDir() + "names.XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~TemporaryNames() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name) const { std::ofstream(at(name)) << "text"; }

  fs::path folder_;
};

TEST_F(TemporaryNames, StandForFilesAndForWholeFoldersThatAreRemoved) {
  for (const char* name : {"file", "other", "folder/a", "folder/below/b", "folder/below/c"}) {
    fs::create_directories(fs::path(at(name)).parent_path());
    write(name);
  }
  fs::create_directory_symlink("..", at("folder/link"));
  const auto file = TemporaryName::of(at("file")), folder = TemporaryName::of(at("folder")),
             absent = TemporaryName::of(at("absent"));
  ASSERT_TRUE(file && folder && absent);
  remove_temporary_files();
  EXPECT_FALSE(fs::exists(at("file")));
  EXPECT_FALSE(fs::exists(at("folder")));
  EXPECT_TRUE(fs::exists(at("other"))) << "a link is removed, not what it leads to";
}

TEST_F(TemporaryNames, AreForgottenWithTheirOwner) {
  write("file");
  {
    auto first = TemporaryName::of(at("file"));
    ASSERT_TRUE(first);
    const TemporaryName moved = std::move(*first);
    EXPECT_TRUE(moved);
    EXPECT_FALSE(*first);
    EXPECT_TRUE(TemporaryName::is_known(at("file")));
  }
  EXPECT_FALSE(TemporaryName::is_known(at("file")));
  const auto another = TemporaryName::of(at("another"));
  EXPECT_TRUE(TemporaryName::is_known(at("another")));
  remove_temporary_files();
  EXPECT_TRUE(fs::exists(at("file")));
}

TEST_F(TemporaryNames, AreNoLongerThanThoseOfFiles) { EXPECT_FALSE(TemporaryName::of(std::string(PATH_MAX, 'x'))); }

}  // namespace
}  // namespace weir::platform
