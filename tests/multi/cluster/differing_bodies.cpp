// SPDX-License-Identifier: Apache-2.0

// Ranks whose programs do not make the same calls: all are told, and none waits for ever.
#include <fmt/format.h>
#include <unistd.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "multi/cluster/bodies.hpp"
#include "weir/ranks.hpp"

namespace weir::cluster::multi {
namespace {

constexpr unsigned kPatience = 20;  // seconds: a rank that waits for longer is ended by SIGALRM

void expect_told(const std::string& text, const std::string& told) {
  expect(told.find(text) != std::string::npos, fmt::format("told '{}', not '{}'", text, told));
}

constexpr std::size_t kTile = 10000;  // larger than a message

Array<int, 1> a_tile_of_each(Ranks& ranks) {
  const auto size = static_cast<std::size_t>(ranks.size());
  return Array<int, 1>::distribute(ranks, {size * kTile}, {kTile}, block_cyclic(ranks.size()), "a");
}

// The last rank ends its Ranks, and rank 0 waits for a tile that is written there.
void awaits_ended() {
  alarm(kPatience);
  Ranks ranks;
  const auto last = static_cast<std::size_t>(ranks.size() - 1);
  const auto a = a_tile_of_each(ranks);
  if (ranks.rank() == ranks.size() - 1) return;
  ranks.spawn(out(a.tile(last)), [](std::span<int>) {});
  ranks.spawn(on_rank(0), in(a.tile(last)), [](std::span<const int>) {});
  const std::string told = told_by([&] { ranks.wait(); });
  if (ranks.rank() == 0)
    expect_told(fmt::format("rank {} has ended its Ranks, and rank 0 waits for tile a[{}] of it", last, last), told);
}

// The last rank ends its Ranks, and rank 0 waits until a tile was read there.
void offers_to_ended() {
  alarm(kPatience);
  Ranks ranks;
  const auto a = a_tile_of_each(ranks);
  const int last = ranks.size() - 1;
  if (ranks.rank() == last) return;
  ranks.spawn(out(a.tile(0)), [](std::span<int>) {});
  ranks.spawn(on_rank(last), in(a.tile(0)), [](std::span<const int>) {});
  const std::string told = told_by([&] { ranks.wait(); });
  if (ranks.rank() == 0)
    expect_told(fmt::format("rank {} has ended its Ranks, and rank 0 has a tile for it, which it does not read", last),
                told);
}

// Rank 0 waits for a tile that is written on the last rank, which is in a barrier.
void awaits_in_barrier() {
  alarm(kPatience);
  Ranks ranks;
  const auto last = static_cast<std::size_t>(ranks.size() - 1);
  const auto a = a_tile_of_each(ranks);
  const std::string told = told_by([&] {
    if (ranks.rank() != ranks.size() - 1) {
      ranks.spawn(out(a.tile(last)), [](std::span<int>) {});
      ranks.spawn(on_rank(0), in(a.tile(last)), [](std::span<const int>) {});
    }
    if (ranks.rank() == 0) ranks.wait();
    ranks.barrier();
  });
  expect_told(fmt::format("rank {} waits in barrier(), or writes a checkpoint, and rank 0 waits for tile a[{}] of it",
                          last, last),
              told);
}

// A call that the last rank is given other arguments for, and refuses.
using Call = std::function<void(Ranks& ranks, const Array<int, 1>& a, bool is_refused)>;
const std::vector<Call> kCalls{
    [](Ranks& ranks, const Array<int, 1>& a, bool is_refused) {
      ranks.spawn(on_rank(is_refused ? 99 : 0), inout(a.tile(0)), [](std::span<int>) {});
    },
    [](Ranks& ranks, const Array<int, 1>& a, bool is_refused) {
      if (is_refused) return ranks.spawn(in(a.tile(0)), reduce(a.tile(0), std::plus<>(), 0), [] {});
      ranks.spawn(reduce(a.tile(0), std::plus<>(), 0), [](std::span<int>) {});
    },
    [](Ranks& ranks, const Array<int, 1>&, bool is_refused) {
      Array<int, 1>::distribute(ranks, {is_refused ? std::size_t{0} : kTile}, {kTile}, block_cyclic(1), "b");
    },
    [](Ranks& ranks, const Array<int, 1>&, bool is_refused) {
      Array<int, 1>::distribute(ranks, {kTile}, {kTile}, owned_by([=](auto) { return is_refused ? 77 : 0; }), "b");
    },
    [](Ranks& ranks, const Array<int, 1>& a, bool is_refused) {
      if (!is_refused) return ranks.drop_copies(a.tile(0));
      ranks.drop_copies(Array<int, 1>(ranks.runtime(), {kTile}, {kTile}).tile(0));
    },
    [](Ranks& ranks, const Array<int, 1>& a, bool is_refused) {
      static std::vector<int> all;  // tasks write to it also when gather() throws half-way
      all.resize(static_cast<std::size_t>(ranks.size()) * kTile);
      gather(ranks, a, all.data(), is_refused ? -7 : 0);
      ranks.wait();
    }};

// All ranks are told which call it was, though the program of the one that has refused it goes on; what it goes on with
// needs what it has refused.
void refused_on_one() {
  alarm(kPatience);
  Ranks ranks;
  const auto a = a_tile_of_each(ranks);
  const int last = ranks.size() - 1;
  const Call& call = kCalls.at(static_cast<std::size_t>(setting("WEIR_CALL", 0)));
  const std::string told = told_by([&] {
    try {
      call(ranks, a, ranks.rank() == last);
    } catch (const Error&) {
      if (ranks.rank() != last) throw;
    }
    for (int rank = ranks.size(); rank-- > 0;) ranks.spawn(on_rank(rank), inout(a.tile(0)), [](std::span<int>) {});
    ranks.barrier();
    ranks.barrier();
  });
  expect_told(fmt::format("rank {} has refused call 2 of its Ranks", last), told);
}

// All refuse a call whose number differs, as rank 0 leaves out tasks that do not concern it. A neighbour of rank 0
// waits for a tile of another rank at that time, for longer than it takes until refusals are looked for.
void refused_on_all() {
  alarm(kPatience);
  Ranks ranks;
  const auto a = a_tile_of_each(ranks);
  const int last = ranks.size() - 1;
  const auto of_last = [&] { return a.tile(static_cast<std::size_t>(last)); };
  if (ranks.rank() != 0) {
    for (int i = 0; i < 20; ++i) ranks.spawn(inout(of_last()), [](std::span<int>) {});
    ranks.spawn(inout(of_last()), [](std::span<int>) { usleep(800'000); });
    ranks.spawn(on_rank(1), in(of_last()), [](std::span<const int>) {});
  }
  ranks.wait();
  expect_told("99", told_by([&] { ranks.spawn(on_rank(99), in(a.tile(0)), [](std::span<const int>) {}); }));
  ranks.barrier();
}

// The same while the program of the last rank is between two calls, and has long made as many as rank 0 had before the
// one that it refused. A task of rank 0 takes as long, and the last rank waits for its tile.
void refused_later() {
  alarm(kPatience);
  Ranks ranks;
  const auto a = a_tile_of_each(ranks);
  const int last = ranks.size() - 1;
  const auto of_last = [&] { return a.tile(static_cast<std::size_t>(last)); };
  ranks.spawn(inout(a.tile(0)), [](std::span<int>) { usleep(1'200'000); });
  ranks.spawn(in(a.tile(0)), inout(of_last()), [](std::span<const int>, std::span<int>) {});
  if (ranks.rank() != 0) {
    ranks.spawn(inout(of_last()), [](std::span<int>) {});
    usleep(1'000'000);
  }
  expect_told("99", told_by([&] { ranks.spawn(on_rank(99), in(a.tile(0)), [](std::span<const int>) {}); }));
  ranks.barrier();
}

// A task of the last rank fails as that one ends its Ranks, and rank 0 waits for its tile.
void fails_at_the_end() {
  alarm(kPatience);
  Ranks ranks;
  const auto a = a_tile_of_each(ranks);
  const auto last = static_cast<std::size_t>(ranks.size() - 1);
  ranks.spawn(out(a.tile(last)), [](std::span<int>) {
    usleep(1'000'000);
    throw std::runtime_error("the disk is on fire");
  });
  ranks.spawn(on_rank(0), in(a.tile(last)), [](std::span<const int>) {});
  if (ranks.rank() == 0)
    expect_told(fmt::format("rank {} has failed: the disk is on fire", last), told_by([&] { ranks.wait(); }));
}

const Named kDiffering[] = {{"awaits-ended", awaits_ended},           {"offers-to-ended", offers_to_ended},
                            {"awaits-in-barrier", awaits_in_barrier}, {"refused-on-one", refused_on_one},
                            {"refused-on-all", refused_on_all},       {"refused-later", refused_later},
                            {"fails-at-the-end", fails_at_the_end}};

}  // namespace
}  // namespace weir::cluster::multi
