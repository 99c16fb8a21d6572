// SPDX-License-Identifier: Apache-2.0

// Whether a run has written a trace: tools/weir/frame/recording.hpp.
#include "recording.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace weir::tool {
namespace {

class Recorded : public testing::Test {
 protected:
  Recorded() {
    std::string name = testing::TempDir() + "recordingXXXXXX";
    folder_ = mkdtemp(name.data());
    trace_ = (folder_ / "t.weir").string();
  }
  ~Recorded() override { std::filesystem::remove_all(folder_); }

  // As a run does it.
  void record() const {
    std::ofstream(trace_ + ".part") << "a trace";
    std::filesystem::rename(trace_ + ".part", trace_);
  }

  std::filesystem::path folder_;
  std::string trace_;
};

TEST_F(Recorded, NothingWhereNoRunHasWritten) {
  EXPECT_EQ(Recording(trace_).path(), "");
  record();
  EXPECT_EQ(Recording(trace_).path(), "");
}

TEST_F(Recorded, WhatHasComeSince) {
  const Recording recording(trace_);
  record();
  EXPECT_EQ(recording.path(), trace_);
  EXPECT_EQ(recording.part(), "");
}

TEST_F(Recorded, ThePartThatAKilledRunLeaves) {
  record();
  const Recording recording(trace_);
  std::ofstream(trace_ + ".part") << "a part";
  EXPECT_EQ(recording.path(), trace_ + ".part");
  EXPECT_EQ(recording.part(), trace_ + ".part");
}

// The third file often has the number that the first had.
TEST_F(Recorded, IsSeenAfterSeveralRunsUnderOneName) {
  record();
  for (int round = 0; round < 10; ++round) {
    const Recording recording(trace_);
    for (int run = 0; run < 2; ++run) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));  // the clock of file systems is coarse
      record();
    }
    EXPECT_EQ(recording.path(), trace_) << round;
  }
}

}  // namespace
}  // namespace weir::tool
