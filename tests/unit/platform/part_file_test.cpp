// SPDX-License-Identifier: Apache-2.0

// Files that grow under another name: who writes which.
#include "platform/part_file.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

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

}  // namespace
}  // namespace weir::platform
