// SPDX-License-Identifier: Apache-2.0

// Reads that many threads ask for at a time: each gets its own bytes, and none is lost when the reader ends. The rank
// that is read is this one, which a transport reaches like any other.
#include "transport/far_reader.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "launch/job.hpp"
#include "transport/open_transport.hpp"

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

}  // namespace
}  // namespace weir::transport
