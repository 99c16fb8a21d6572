// SPDX-License-Identifier: Apache-2.0

// Reads that many threads ask for at a time: each gets its own bytes, and none is lost when the reader ends. The rank
// that is read is this one, which a transport reaches like any other.
#include "transport/far_reader.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "launch/job.hpp"
#include "transport/open_transport.hpp"
#include "unit/platform/few_threads.hpp"

namespace weir::transport {
namespace {

constexpr std::size_t kWords = 1 << 12, kMost = 64;

// A rank with a region of words, each of which says where it lies.
class FarReads : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = open_transport(launch::Job{});
    ASSERT_TRUE(opened) << opened.status().message;
    transport_ = std::move(*opened);
    auto region = transport_->make_region({.size = {kWords * sizeof(std::uint64_t)}});
    ASSERT_TRUE(region) << region.status().message;
    region_ = region->id;
    for (std::uint64_t word = 0; word < kWords; ++word)
      std::memcpy(region->data + word * sizeof word, &word, sizeof word);
  }
  void TearDown() override { ASSERT_TRUE(transport_->leave()); }

  Location at(std::size_t word) const { return {transport_->rank(), region_, word * sizeof(std::uint64_t)}; }

  std::unique_ptr<Transport> transport_;
  RegionId region_{};
};

// So many words from one on, and how they arrived.
struct Some {
  std::array<std::uint64_t, kMost> words{};
  std::size_t first = 0, count = 0;
  std::atomic<int> answers{0};
  bool is_right = false;

  std::span<std::byte> room() { return std::as_writable_bytes(std::span(words).first(count)); }
  void arrive(const base::Status& status) {
    is_right = static_cast<bool>(status);
    for (std::size_t i = 0; i < count; ++i) is_right = is_right && words[i] == first + i;
    answers.fetch_add(1);
  }
};

TEST_F(FarReads, OfManyThreadsGetTheirOwnBytes) {
  constexpr std::size_t kThreads = 4, kEach = 300;
  FarReader reader(*transport_);
  std::vector<std::vector<Some>> asked(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    asked[thread] = std::vector<Some>(kEach);
    threads.emplace_back([&, thread] {
      for (std::size_t i = 0; i < kEach; ++i) {
        Some& some = asked[thread][i];
        some.count = 1 + (thread + i) % kMost;
        some.first = (thread * kEach + i) * 3 % (kWords - kMost);
        reader.read(at(some.first), some.room(), [&some](const base::Status& status) { some.arrive(status); });
        if (i % 7 == 0) {  // now and then the reader has nothing left to do
          while (some.answers.load() == 0) std::this_thread::yield();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::vector<Some>& of_thread : asked) {
    for (Some& some : of_thread) {
      while (some.answers.load() == 0) std::this_thread::yield();
      EXPECT_TRUE(some.is_right) << some.count << " words from " << some.first;
    }
  }
}

TEST_F(FarReads, AreAllDoneWhenTheReaderEnds) {
  std::vector<Some> asked(200);
  {
    FarReader reader(*transport_);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      asked[i].count = kMost;
      asked[i].first = i * 17 % (kWords - kMost);
      reader.read(at(asked[i].first), asked[i].room(),
                  [&some = asked[i]](const base::Status& status) { some.arrive(status); });
    }
  }
  for (const Some& some : asked) {
    EXPECT_EQ(some.answers.load(), 1);
    EXPECT_TRUE(some.is_right) << some.count << " words from " << some.first;
  }
}

// Gets nothing from rank 1, and begins its first get when the test says so: all that was asked for meanwhile is one
// batch after that.
struct Gate {
  std::atomic<bool> is_reached{false}, is_open{false};
};
class WithoutRankOne final : public Channel {
 public:
  explicit WithoutRankOne(Gate& gate) : gate_(gate) {}
  static base::Status gone() { return {base::Code::lost, "rank 1 is lost"}; }

  base::Status put(Location, const void*, std::size_t) override { return gone(); }
  base::Status get(void*, Location, std::size_t) override { return gone(); }
  base::Status put_nbi(Location, const void*, std::size_t) override { return gone(); }
  base::Status get_nbi(void* to, Location from, std::size_t bytes) override {
    gate_.is_reached.store(true);
    while (!gate_.is_open.load()) std::this_thread::yield();
    if (from.rank == Rank{1}) return gone();
    std::memset(to, static_cast<int>(from.rank), bytes);
    return base::Status::success();
  }
  base::Result<std::uint64_t> atomic(Location, AtomicOp, AtomicWidth, std::uint64_t, std::uint64_t) override {
    return gone();
  }
  base::Status atomic_nbi(Location, AtomicOp, AtomicWidth, std::uint64_t, std::uint64_t, std::uint64_t*) override {
    return gone();
  }
  base::Status fence() override { return base::Status::success(); }
  base::Status quiet() override { return base::Status::success(); }
  base::Status quiet(std::span<const Rank>) override { return base::Status::success(); }

 private:
  Gate& gate_;
};
class ToThreeRanks final : public Transport {
 public:
  explicit ToThreeRanks(Gate& gate) : gate_(gate) {}

  const char* name() const noexcept override { return "to three ranks"; }
  Rank rank() const noexcept override { return Rank{0}; }
  std::uint32_t ranks() const noexcept override { return 3; }
  std::span<const Rank> neighbours() const noexcept override { return {}; }
  base::Result<Region> make_region(const RegionSpec&) override { return WithoutRankOne::gone(); }
  base::Status free_region(RegionId) override { return WithoutRankOne::gone(); }
  std::byte* mapped(Rank, RegionId) const noexcept override { return nullptr; }
  Descriptor descriptor(RegionId) const noexcept override { return {}; }
  std::unique_ptr<Channel> open_channel() override { return std::make_unique<WithoutRankOne>(gate_); }
  void set_handler(std::uint16_t, Handler, void*) override {}
  base::Status send(Rank, std::uint16_t, std::span<const std::byte>) override { return WithoutRankOne::gone(); }
  bool progress() override { return false; }
  void wait_for_arrival(std::uint64_t) override {}
  bool needs_progress() const noexcept override { return false; }
  bool is_quiet() const override { return true; }
  base::Status all_gather(std::span<const std::byte>, std::span<std::byte>) override { return WithoutRankOne::gone(); }
  base::Status barrier() override { return WithoutRankOne::gone(); }
  std::optional<Lost> lost() const override { return {}; }
  base::Status leave() override { return WithoutRankOne::gone(); }
  [[noreturn]] void abort(int status) override { std::_Exit(status); }

 private:
  Gate& gate_;
};

TEST(FarReadsOfSeveralRanks, FailForTheRankThatIsLostAlone) {
  Gate gate;
  ToThreeRanks transport(gate);
  std::array<std::byte, 5> bytes{};
  std::array<std::optional<base::Status>, 5> told;
  {
    FarReader reader(transport);
    const auto ask = [&](std::size_t i, std::uint32_t rank) {
      reader.read({Rank{rank}, {}, 0}, std::span(bytes).subspan(i, 1),
                  [&told, i](const base::Status& status) { told[i] = status; });
    };
    ask(0, 2);
    while (!gate.is_reached.load()) std::this_thread::yield();
    for (const auto& [i, rank] : {std::pair{1, 2}, {2, 1}, {3, 2}, {4, 1}})
      ask(static_cast<std::size_t>(i), static_cast<std::uint32_t>(rank));
    gate.is_open.store(true);
  }
  for (std::size_t i = 0; i < told.size(); ++i) {
    ASSERT_TRUE(told[i]) << "read " << i << " has ended";
    const bool is_of_lost_rank = i == 2 || i == 4;
    EXPECT_EQ(static_cast<bool>(*told[i]), !is_of_lost_rank) << "read " << i;
    EXPECT_EQ(bytes[i], is_of_lost_rank ? std::byte{0} : std::byte{2}) << "read " << i;
  }
}

TEST(FarReadsOfSeveralRanks, FailWhereTheReaderCannotStartItsThread) {
  if (!test::threads_are_limited()) GTEST_SKIP() << "only root can be held to a number of threads of a user of its own";
  const int end = test::ended_with([] {
    Gate gate;
    ToThreeRanks transport(gate);
    std::byte byte{};
    base::Status told;
    if (!test::may_start(0)) return test::kNotLimited;
    FarReader reader(transport);
    reader.read({Rank{2}, {}, 0}, std::span(&byte, 1), [&](const base::Status& status) { told = status; });
    std::fprintf(stderr, "%s\n", told.message.c_str());
    return told.code == base::Code::no_space && told.message.find("weir far reader") != std::string::npos ? 0 : 1;
  });
  EXPECT_EQ(end, 0);
}

}  // namespace
}  // namespace weir::transport
