// SPDX-License-Identifier: Apache-2.0

// What must hold between ranks of different hosts as it does between neighbours: a rank that computes is reached, one
// word has one order of atomics whoever works on it by whichever way, and what is large comes before what follows it.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "conformance/transport/bodies.hpp"

namespace weir::transport::conformance {
namespace {

std::atomic_ref<std::uint64_t> word(const Region& region, std::uint64_t index) {
  return std::atomic_ref<std::uint64_t>(reinterpret_cast<std::uint64_t*>(region.data)[index]);
}

// Every rank but the first writes to the first, which calls nothing meanwhile.
void a_rank_that_computes_is_reached(Transport& t) {
  const Region region = required(t.make_region({.size = {4096}}));
  if (me(t) == 0) {
    for (std::uint64_t sum = 0; sum != t.ranks() - 1; sum = word(region, 0).load()) std::this_thread::yield();
    for (std::uint32_t i = 1; i < t.ranks(); ++i) require(word(region, i).load() == i, "a put before its atomic");
  } else {
    const auto channel = t.open_channel();
    const std::uint64_t mine = me(t);
    require(channel->put({Rank{0}, region.id, 8 * mine}, &mine, 8));
    require(channel->fence());
    require(channel->atomic({Rank{0}, region.id, 0}, AtomicOp::fetch_add, AtomicWidth::bits64, 1).status());
    std::uint64_t back = 0;
    require(channel->get(&back, {Rank{0}, region.id, 8 * mine}, 8));
    require(back == mine, "what was put can be got from a rank that computes");
  }
  require(t.barrier());
  require(t.free_region(region.id));
}

// The owner adds by its processor, all others by the transport.
void processors_and_channels_add_to_one_word(Transport& t) {
  constexpr std::uint64_t kTimes = 300;
  const Region region = required(t.make_region({.size = {4096}}));
  const auto channel = t.open_channel();
  for (std::uint64_t i = 0; i < kTimes; ++i) {
    if (me(t) == 0) {
      word(region, 0).fetch_add(1);
      if (i % 16 == 0) std::this_thread::yield();
    } else if (i % 2 == 0) {
      require(channel->atomic({Rank{0}, region.id, 0}, AtomicOp::fetch_add, AtomicWidth::bits64, 1).status());
    } else {
      require(channel->atomic({Rank{0}, region.id, 0}, AtomicOp::add, AtomicWidth::bits64, 1).status());
    }
  }
  require(channel->quiet());
  require(t.barrier());
  if (me(t) == 0) require(word(region, 0).load() == kTimes * t.ranks(), "no addition is lost");
  require(t.barrier());
  require(t.free_region(region.id));
}

void a_large_put_comes_before_what_follows_a_fence(Transport& t) {
  constexpr std::uint64_t kWords = 1 << 17, kRounds = 6;  // of 1 MiB, and the flag behind it
  const Region region = required(t.make_region({.size = {8 * (kWords + 2)}}));
  const auto channel = t.open_channel();
  std::vector<std::uint64_t> data(kWords);
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    std::iota(data.begin(), data.end(), round);
    require(channel->put_nbi({next(t), region.id, 0}, data.data(), 8 * kWords));
    require(channel->fence());
    require(channel->put({next(t), region.id, 8 * kWords}, &round, 8));
    while (word(region, kWords).load() != round) t.wait_for_arrival(100'000), static_cast<void>(t.progress());
    for (std::uint64_t i = 0; i < kWords; ++i) require(word(region, i).load() == round + i, "data before its flag");
    require(channel->quiet());
    require(t.barrier());
  }
  require(t.free_region(region.id));
}

void many_small_nbi_operations_are_done_after_quiet(Transport& t) {
  constexpr std::uint64_t kCount = 5000;
  const Region region = required(t.make_region({.size = {16 * kCount}}));
  const auto channel = t.open_channel();
  std::vector<std::uint64_t> got(kCount), old(kCount);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const std::uint64_t value = i + 1;
    const Location at{next(t), region.id, 8 * i};
    require(channel->put_nbi(at, &(got[i] = value), 8));
  }
  require(channel->quiet());
  std::fill(got.begin(), got.end(), 0);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const Location at{next(t), region.id, 8 * i};
    require(channel->get_nbi(&got[i], at, 8));
    require(channel->atomic_nbi(at, AtomicOp::fetch_add, AtomicWidth::bits64, 1, 0, &old[i]));
  }
  require(channel->quiet());
  for (std::uint64_t i = 0; i < kCount; ++i) {
    require(old[i] == i + 1, "an atomic finds what was put");
    require(got[i] == i + 1 || got[i] == i + 2, "a get finds it, or what the atomic made of it");
  }
  require(t.barrier());
  for (std::uint64_t i = 0; i < kCount; ++i) require(word(region, i).load() == i + 2, "all atomics are done");
  require(t.free_region(region.id));
}

void threads_have_channels_of_their_own(Transport& t) {
  constexpr std::uint64_t kThreads = 3, kTimes = 60, kBytes = 40'000;
  const Region region = required(t.make_region({.size = {(kThreads + 1) * kBytes}}));
  std::atomic<bool> wrong{false};
  const auto work = [&](std::uint64_t thread) {
    const auto channel = t.open_channel();
    const Location at{next(t), region.id, (thread + 1) * kBytes};
    std::vector<std::uint64_t> out(kBytes / 8), in(kBytes / 8);
    for (std::uint64_t i = 0; i < kTimes; ++i) {
      std::fill(out.begin(), out.end(), 1000 * thread + i);
      const std::size_t bytes = i % 3 == 0 ? kBytes : 80;
      bool good = static_cast<bool>(channel->put(at, out.data(), bytes));
      good = good && channel->quiet() && channel->get(in.data(), at, bytes);
      good = good && std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(bytes / 8), in.begin());
      good = good && channel->atomic({next(t), region.id, 0}, AtomicOp::add, AtomicWidth::bits64, 1);
      if (!good) wrong.store(true);
    }
    if (!channel->quiet()) wrong.store(true);
  };
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  require(!wrong.load(), "what a thread puts it gets back");
  require(t.barrier());
  require(word(region, 0).load() == kThreads * kTimes, "the atomics of all threads");
  require(t.barrier());
  require(t.free_region(region.id));
}

constexpr Body kReachBodies[] = {
    {"a_rank_that_computes_is_reached", a_rank_that_computes_is_reached},
    {"processors_and_channels_add_to_one_word", processors_and_channels_add_to_one_word},
    {"a_large_put_comes_before_what_follows_a_fence", a_large_put_comes_before_what_follows_a_fence},
    {"many_small_nbi_operations_are_done_after_quiet", many_small_nbi_operations_are_done_after_quiet},
    {"threads_have_channels_of_their_own", threads_have_channels_of_their_own},
};

}  // namespace

std::span<const Body> reach_bodies() { return kReachBodies; }

}  // namespace weir::transport::conformance
