// SPDX-License-Identifier: Apache-2.0

// Files that grow under another name: who writes which.
#include "platform/part_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "denied_calls.hpp"

namespace weir::platform {
namespace {

class PartFiles : public ::testing::Test {
 protected:
  PartFiles() {
    std::string name = ::testing::TempDir() + "weir_part_XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
    path_ = folder_ + "/file";
  }
  ~PartFiles() override { std::filesystem::remove_all(folder_); }

  static std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  std::string folder_, path_;
};

TEST_F(PartFiles, AnotherCopyOfTheLibraryInTheProcessWritesAnotherFile) {
  EXPECT_EQ(PartFile::unshared(path_), path_);
  auto first = PartFile::create(path_).value();
  EXPECT_EQ(PartFile::unshared(path_), path_ + ".2") << "it grows";
  auto second = PartFile::create(path_ + ".2").value();
  EXPECT_EQ(PartFile::unshared(path_), path_ + ".3");
  ASSERT_TRUE(first->publish("one"));
  EXPECT_EQ(PartFile::unshared(path_), path_ + ".3") << "it may grow again";
  ASSERT_TRUE(second->publish("two"));
  first.reset();
  EXPECT_EQ(PartFile::unshared(path_), path_) << "it is a file like any other";
  EXPECT_EQ(text_of(path_), "one");
  EXPECT_EQ(text_of(path_ + ".2"), "two");
}

TEST_F(PartFiles, WhatTheProgramHasOpenItselfIsNoOtherCopys) {
  std::ofstream program(path_);
  program << "before" << std::flush;
  EXPECT_EQ(PartFile::unshared(path_), path_);
  EXPECT_EQ(PartFile::unshared("/dev/null"), "/dev/null");
}

TEST_F(PartFiles, AFileSystemWithoutLocksHasThemToo) {
  test::expect_well_without({SYS_flock}, ENOSYS, [&] {
    auto file = PartFile::create(path_);
    if (!file || (*file)->part() != path_ + ".part") return 1;
    return (*file)->append("a") && (*file)->publish("b") && text_of(path_) == "ab" ? 0 : 2;
  });
}

TEST_F(PartFiles, WithoutLocksAFileThatIsThereMayBeAnothersAndStaysAsItIs) {
  test::expect_well_without({SYS_flock}, ENOLCK, [&] {
    std::ofstream(path_ + ".part") << "another's";
    auto file = PartFile::create(path_);
    if (!file || (*file)->part() != path_ + "." + std::to_string(getpid()) + ".part") return 1;
    if (!(*file)->publish("ours") || text_of(path_) != "ours") return 2;
    return text_of(path_ + ".part") == "another's" ? 0 : 3;
  });
}

TEST_F(PartFiles, AFolderThatHasBeenRemovedIsNamedAsThat) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::create_directory(folder_ + "/gone");
  std::filesystem::current_path(folder_ + "/gone");
  std::filesystem::remove(folder_ + "/gone");
  const base::Status checked = PartFile::check("file");
  const base::Status made = PartFile::create("file").status();
  std::filesystem::current_path(before);
  EXPECT_EQ(checked.code, base::Code::io_error);
  EXPECT_NE(checked.message.find("its folder has been removed"), std::string::npos) << checked.message;
  EXPECT_NE(made.message.find("its folder has been removed"), std::string::npos) << made.message;
}

TEST_F(PartFiles, TheLimitOnTheLengthOfFilesIsAnErrorAndNoSignal) {
  EXPECT_EQ(test::ended_with([&] {
              const rlimit none{0, 0};
              if (setrlimit(RLIMIT_FSIZE, &none) != 0) return 1;
              auto file = PartFile::create(path_);
              if (!file) return 2;
              const base::Status appended = (*file)->append("a");
              if (appended.message != path_ + ": cannot be written: File too large") return 3;
              return (*file)->publish("b") ? 4 : 0;
            }),
            0);
}

}  // namespace
}  // namespace weir::platform
