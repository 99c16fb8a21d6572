// SPDX-License-Identifier: Apache-2.0

#include "pending_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "interrupt.hpp"

namespace weir::tool {
namespace {

namespace fs = std::filesystem;

class PendingFileTest : public testing::Test {
 protected:
  PendingFileTest() {
    std::string name = testing::TempDir() + "pending.XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~PendingFileTest() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

  static std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  int files() const {
    return static_cast<int>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
  }

  fs::path folder_;
};

TEST_F(PendingFileTest, AppearsUnderItsNameOnlyWhenCommitted) {
  auto file = PendingFile::create(at("image.png"));
  ASSERT_TRUE(file) << file.status().message;
  write(file->path(), "all of it");
  EXPECT_FALSE(fs::exists(at("image.png")));
  EXPECT_TRUE(file->commit());
  EXPECT_EQ(read(at("image.png")), "all of it");
  EXPECT_EQ(files(), 1);
}

TEST_F(PendingFileTest, LeavesTheOldFileWhenItIsNotCommitted) {
  write(at("image.png"), "old");
  {
    auto file = PendingFile::create(at("image.png"));
    ASSERT_TRUE(file);
    write(file->path(), "half");
  }
  EXPECT_EQ(read(at("image.png")), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(PendingFileTest, KeepsASymbolicLink) {
  write(at("real"), "old");
  fs::create_symlink("real", at("link"));
  auto file = PendingFile::create(at("link"));
  ASSERT_TRUE(file);
  write(file->path(), "new");
  EXPECT_TRUE(file->commit());
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(read(at("real")), "new");
}

TEST_F(PendingFileTest, RefusesAFolderThatDoesNotExistAndNamesIt) {
  const auto file = PendingFile::create(at("none/image.png"));
  ASSERT_FALSE(file);
  EXPECT_EQ(file.status().message, at("none/image.png") + ": cannot be written: No such file or directory");
}

TEST_F(PendingFileTest, LeavesWhatAnotherHasPutUnderItsTemporaryName) {
  write(at("mine"), "mine");
  const std::string prepared = at("image.png." + std::to_string(getpid()) + ".tmp");
  fs::create_symlink("mine", prepared);
  {
    auto file = PendingFile::create(at("image.png"));
    ASSERT_TRUE(file) << file.status().message;
    EXPECT_FALSE(PendingFile::create(at("image.png"))) << "twice the same file";
    write(file->path(), "new");
    EXPECT_TRUE(file->commit());
  }
  EXPECT_EQ(read(at("mine")), "mine");
  EXPECT_EQ(read(at("image.png")), "new");
  EXPECT_TRUE(fs::is_symlink(prepared));
  EXPECT_EQ(files(), 3);
}

TEST_F(PendingFileTest, NamesATemporaryNameThatItCannotHave) {
  write(at("image.png." + std::to_string(getpid()) + ".tmp"), "mine");
  for (int i = 1; i < 100; ++i) write(at(fmt::format("image.png.{}-{}.tmp", getpid(), i)), "mine");
  const auto file = PendingFile::create(at("image.png"));
  ASSERT_FALSE(file);
  EXPECT_EQ(file.status().message, at(fmt::format("image.png.{}-99.tmp: cannot be written: File exists", getpid())));
  EXPECT_EQ(files(), 100);
}

TEST_F(PendingFileTest, RefusesAFolder) { EXPECT_FALSE(PendingFile::create(folder_.string())); }

TEST_F(PendingFileTest, WritesToADeviceDirectly) {
  auto file = PendingFile::create("/dev/null");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->path(), "/dev/null");
  EXPECT_TRUE(file->commit());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(PendingFileTest, IsRemovedWhenASignalEndsTheProgram) {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT}) {
    const auto stopped = [&] {
      std::signal(signal_number, SIG_DFL);
      handle_interrupts();
      auto file = PendingFile::create(at("image.png"));
      write(file->path(), "half");
      std::raise(signal_number);
    };
    EXPECT_EXIT(stopped(), testing::KilledBySignal(signal_number), "");
    EXPECT_EQ(files(), 0);
  }
}

}  // namespace
}  // namespace weir::tool
