// SPDX-License-Identifier: Apache-2.0

#include "runtime/check_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "weir/error.hpp"
#include "weir/runtime.hpp"

namespace weir::runtime {
namespace {

// How much memory is free is another number each time.
std::string without_free(const std::string& message) {
  return std::regex_replace(message, std::regex("available are [0-9.]+ [KMGT]iB \\(free"), "available are some (free");
}

class CheckOptions : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "weir-check-options-XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    std::ofstream(folder_ + "/file") << "text";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // What is refused beforehand is what the runtime itself refuses.
  void expect_refused(const std::string& field, const std::string& value, const std::string& what) {
    Options options;
    options.workers = 1;
    (field == "machine" ? options.machine : field == "tiers" ? options.tiers : options.trace) = value;
    const base::Status status = check_options(options);
    EXPECT_THAT(status.message, testing::HasSubstr(what)) << field << "=" << value;
    try {
      const Runtime runtime(options);
      ADD_FAILURE() << "the runtime accepts " << field << "=" << value;
    } catch (const Error& error) {
      EXPECT_EQ(without_free(error.what()), without_free(status.message));
    }
  }

  std::string folder_;
};

TEST_F(CheckOptions, RefusesWhatTheRuntimeWouldRefuse) {
  expect_refused("machine", "core:0 pu:1", "column 6");
  expect_refused("machine", "nosuch", "nor is there a file nosuch");
  expect_refused("machine", folder_, "it is a folder");
  expect_refused("machine", folder_ + "/no.xml", "No such file");
  expect_refused("tiers", "hbm=1PiB", "column 6");
  expect_refused("tiers", "memory=9999TiB", "memory");
  expect_refused("tiers", "memory=16MiB,file=" + folder_ + "/no/such:8MiB", "no/such");
  expect_refused("tiers", "memory=16MiB,file=" + folder_ + "/file/x:8MiB", "file/x");
  expect_refused("trace", folder_, "Is a directory");
  expect_refused("trace", folder_ + "/t.json", "weir trace " + folder_ + "/t.weir --to " + folder_ + "/t.json");
  expect_refused("trace", folder_ + "/no/such.weir", "No such file");
  expect_refused("trace", folder_ + "/file/x.weir", "Not a directory");
  expect_refused("trace", folder_ + "/" + std::string(300, 'x'), "too long");
}

TEST_F(CheckOptions, LeavesNothingBehind) {
  Options options;
  options.machine = "core:2 pu:1";
  options.tiers = "memory=16MiB,file=" + folder_ + ":8MiB";
  options.trace = folder_ + "/trace.weir";
  EXPECT_TRUE(check_options(options)) << check_options(options).message;
  const std::filesystem::directory_iterator files(folder_);
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

}  // namespace
}  // namespace weir::runtime
