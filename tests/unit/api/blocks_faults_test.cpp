// SPDX-License-Identifier: Apache-2.0

// Blocks when the file tier fails: the task that waits gets the error, no other block is lost, later tasks run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "platform/faulty_io.hpp"
#include "runtime/runtime_state.hpp"
#include "support.hpp"

namespace weir {
namespace {

using platform::IoFault;
using testing::HasSubstr;

IoFault g_fault;

memory::TierSetConfig faulty_config() {
  auto engine = platform::open_async_io({.backend = platform::IoBackend::threads});
  EXPECT_TRUE(engine);
  memory::TierSetConfig config;
  config.engine = std::make_unique<platform::FaultyIo>(std::move(*engine), std::vector<IoFault>{g_fault});
  return config;
}

// The first tasks write block b from b on, in a fast tier that holds three of eight.
class BlocksOnABadDisk : public testing::TestWithParam<Strategy> {
 protected:
  static constexpr std::size_t kBlocks = 8, kInts = 75 << 10;

  void start(const IoFault& fault) {
    g_fault = fault;
    runtime::BlockRuntime::tiers_config = &faulty_config;
    Options options = test::with_workers(2);
    options.tiers = "memory=1MiB,file=/tmp:16MiB";
    options.strategy = GetParam();
    runtime_ = std::make_unique<Runtime>(options);
    runtime::BlockRuntime::tiers_config = nullptr;
    for (std::size_t b = 0; b < kBlocks; ++b)
      blocks_.emplace_back(*runtime_, kInts, std::string("b").append(std::to_string(b)).c_str());
  }
  bool write(std::size_t b, int value) {
    runtime_->spawn(out(blocks_[b]), name("writer"),
                    [value](std::span<int> x) { std::fill(x.begin(), x.end(), value); });
    return succeeds(b);
  }
  // -1: it could not be read; -2: it is not what one task wrote.
  int read(std::size_t b) {
    int value = -1;
    runtime_->spawn(in(blocks_[b]), name("reader"), [&value](std::span<const int> x) {
      value = std::all_of(x.begin(), x.end(), [&](int v) { return v == x[0]; }) ? x[0] : -2;
    });
    succeeds(b);
    return value;
  }
  bool succeeds(std::size_t b) {
    try {
      runtime_->wait();
      return true;
    } catch (const Error& error) {
      last_error_ = error.what();
      failed_.push_back(b);
      return false;
    }
  }
  void TearDown() override {
    blocks_.clear();
    runtime_.reset();
  }

  std::unique_ptr<Runtime> runtime_;
  std::vector<Block<int>> blocks_;
  std::vector<std::size_t> failed_;
  std::string last_error_;
};

std::string strategy_name(const testing::TestParamInfo<Strategy>& info) {
  constexpr const char* kNames[] = {"off", "inline", "single", "multi", "ahead"};
  return kNames[static_cast<int>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(, BlocksOnABadDisk,
                         testing::Values(Strategy::inline_, Strategy::single, Strategy::multi, Strategy::ahead),
                         strategy_name);

TEST_P(BlocksOnABadDisk, AFailedReadFailsTheTaskThatWaitsForItAndNoOther) {
  for (std::uint64_t n = 1; n <= 4; ++n) {
    SCOPED_TRACE("read " + std::to_string(n));
    start({.kind = n % 2 == 0 ? IoFault::Kind::short_transfer : IoFault::Kind::error, .first = n});
    for (std::size_t b = 0; b < kBlocks; ++b) EXPECT_TRUE(write(b, static_cast<int>(b))) << last_error_;
    for (std::size_t b = 0; b < kBlocks; ++b) {
      const int value = read(b);
      EXPECT_TRUE(value == static_cast<int>(b) || (value == -1 && !failed_.empty() && failed_.back() == b)) << value;
    }
    EXPECT_LE(failed_.size(), 1u);
    if (!failed_.empty()) {
      EXPECT_THAT(last_error_, HasSubstr("file tier /tmp"));
      EXPECT_THAT(last_error_, HasSubstr("b" + std::to_string(failed_[0])));
      EXPECT_THAT(last_error_, HasSubstr("offset"));
    }
    for (std::size_t b = 0; b < kBlocks; ++b) EXPECT_EQ(read(b), static_cast<int>(b));
    TearDown();
    failed_.clear();
  }
}

TEST_P(BlocksOnABadDisk, AFailedWriteLosesNothing) {
  for (std::uint64_t n = 1; n <= 4; ++n) {
    SCOPED_TRACE("write " + std::to_string(n));
    start({.kind = n % 2 == 0 ? IoFault::Kind::short_transfer : IoFault::Kind::error, .write = true, .first = n});
    for (std::size_t b = 0; b < kBlocks; ++b) EXPECT_TRUE(write(b, static_cast<int>(b))) << last_error_;
    for (std::size_t b = 0; b < kBlocks; ++b) EXPECT_EQ(read(b), static_cast<int>(b));
    EXPECT_GE(runtime_->tier_statistics().failures, 1u);
    EXPECT_FALSE(runtime_->tier_statistics().warnings.empty());
    TearDown();
  }
}

TEST_P(BlocksOnABadDisk, AFullDiskFailsTheTasksThatNeedRoomUntilThereIsSomeAgain) {
  start({.write = true, .first = 3, .count = 12, .error = ENOSPC});
  std::vector<int> expected(kBlocks, -1);
  for (std::size_t b = 0; b < kBlocks; ++b) {
    if (write(b, static_cast<int>(b))) expected[b] = static_cast<int>(b);
  }
  ASSERT_FALSE(failed_.empty());
  EXPECT_THAT(last_error_, HasSubstr("file tier /tmp"));
  EXPECT_THAT(last_error_, HasSubstr("\"writer\""));
  for (int round = 0; round < 20; ++round) {  // each takes some of the faults
    for (std::size_t b = 0; b < kBlocks; ++b) {
      if (expected[b] >= 0) read(b);
    }
  }
  for (std::size_t b = 0; b < kBlocks; ++b) {
    if (expected[b] >= 0) {
      EXPECT_EQ(read(b), expected[b]) << last_error_;
    } else {
      EXPECT_TRUE(write(b, 50)) << last_error_;
      EXPECT_EQ(read(b), 50);
    }
  }
}

TEST_P(BlocksOnABadDisk, AFileThatIsCutIsAnErrorAndNeverZeros) {
  start({.first = 1'000'000});
  for (std::size_t b = 0; b < kBlocks; ++b) EXPECT_TRUE(write(b, 7));
  const data::Store& store = detail::RuntimeAccess::state(*runtime_)->blocks->store();
  const memory::FileStore* const file = const_cast<data::Store&>(store).tiers().tiers()[1].file;
  ASSERT_EQ(ftruncate(file->descriptor(), 0), 0);
  int read_well = 0;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    const int value = read(b);
    EXPECT_TRUE(value == 7 || value == -1) << value;
    read_well += value == 7 ? 1 : 0;
  }
  EXPECT_LT(read_well, static_cast<int>(kBlocks));
  EXPECT_THAT(last_error_, HasSubstr("file tier /tmp"));
}

TEST(BlocksOfACancelledTask, HoldWhatTheyHeldBefore) {
  Options options = test::with_workers(1);
  options.tiers = "memory=1MiB,file=/tmp:16MiB";
  Runtime runtime(options);
  std::vector<Block<int>> blocks;
  for (int b = 0; b < 6; ++b) {
    blocks.emplace_back(runtime, 75 << 10, "b");
    runtime.spawn(out(blocks.back()), [b](std::span<int> x) { std::fill(x.begin(), x.end(), b); });
  }
  runtime.wait();
  for (int b = 0; b < 6; ++b) {
    runtime.spawn(inout(blocks[std::size_t(b)]), [](std::span<int>) { throw 1; });
    runtime.spawn(out(blocks[std::size_t(b + 1) % 6]), in(blocks[std::size_t(b)]),
                  [](std::span<int>, std::span<const int>) { FAIL() << "it comes after one that failed"; });
    EXPECT_THROW(runtime.wait(), int);
  }
  for (int b = 0; b < 6; ++b) {
    runtime.spawn(in(blocks[std::size_t(b)]), [b](std::span<const int> x) {
      EXPECT_TRUE(std::all_of(x.begin(), x.end(), [b](int v) { return v == b; })) << x[0];
    });
  }
  runtime.wait();
}

}  // namespace
}  // namespace weir
