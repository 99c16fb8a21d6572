// SPDX-License-Identifier: Apache-2.0

#include "data/preparer.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "memory/backing.hpp"

namespace weir::data {
namespace {

using Range = std::pair<std::uint64_t, std::size_t>;

// A kernel that takes as long to clear pages as the test likes.
class SlowBacking final : public memory::Backing {
 public:
  memory::BackingKind kind() const noexcept override { return memory::BackingKind::none; }
  Bytes size() const noexcept override { return {std::size_t{1} << 30}; }
  base::Status populate(std::uint64_t, std::size_t) override { return base::Status::success(); }
  bool prepare(std::uint64_t offset, std::size_t bytes) const noexcept override {
    std::unique_lock lock(mutex_);
    begun_.push_back({offset, bytes});
    changed_.notify_all();
    changed_.wait(lock, [&] { return may_end_; });
    return true;
  }

  std::vector<Range> wait_for(std::size_t count) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_.size() >= count; });
    return begun_;
  }
  void let_end() const {
    const std::lock_guard lock(mutex_);
    may_end_ = true;
    changed_.notify_all();
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::vector<Range> begun_;
  mutable bool may_end_ = false;
};

struct Memory {
  Memory() {
    auto backing = std::make_unique<SlowBacking>();
    slow = backing.get();
    arena = std::move(
        memory::Arena::make({.name = "slow0", .os_nodes = {}, .budget = slow->size(), .memory = {}}, std::move(backing))
            .value());
  }
  SlowBacking* slow = nullptr;
  std::unique_ptr<memory::Arena> arena;
};

TEST(Preparer, PreparesInTheOrderOfAskingWhileTheAskingThreadGoesOn) {
  const Memory memory;
  Preparer preparer;
  EXPECT_TRUE(preparer.prepare(*memory.arena, {0, 4096}));
  EXPECT_EQ(memory.slow->wait_for(1), (std::vector<Range>{{0, 4096}}));
  EXPECT_TRUE(preparer.prepare(*memory.arena, {4096, 8192}));  // returns, although the first has not ended
  EXPECT_TRUE(preparer.prepare(*memory.arena, {65536, 4096}));
  memory.slow->let_end();
  EXPECT_EQ(memory.slow->wait_for(3), (std::vector<Range>{{0, 4096}, {4096, 8192}, {65536, 4096}}));
}

TEST(Preparer, RefusesWhatIsTooMuchAndForgetsWhatItHasNotBegun) {
  const Memory memory;
  std::size_t taken = 0;
  {
    Preparer preparer;
    for (std::uint64_t i = 0; i < 100; ++i) taken += preparer.prepare(*memory.arena, {i * 4096, 4096}) ? 1 : 0;
    EXPECT_EQ(memory.slow->wait_for(1).front(), (Range{0, 4096}));
    memory.slow->let_end();
  }
  EXPECT_GE(taken, 16u);
  EXPECT_LE(taken, 17u) << "one under way and those that can wait";
  EXPECT_LE(memory.slow->wait_for(1).size(), taken);
}

TEST(Preparer, PreparesALargeRangePieceByPiece) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  const Memory memory;
  Preparer preparer;
  memory.slow->let_end();
  EXPECT_TRUE(preparer.prepare(*memory.arena, {0, 10 * kMiB}));
  EXPECT_EQ(memory.slow->wait_for(3), (std::vector<Range>{{0, 4 * kMiB}, {4 * kMiB, 4 * kMiB}, {8 * kMiB, 2 * kMiB}}));
}

}  // namespace
}  // namespace weir::data
