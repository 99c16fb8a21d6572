// SPDX-License-Identifier: Apache-2.0

// Arrays of two and three dimensions, what is sent, and what is refused.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "multi/cluster/bodies.hpp"
#include "weir/ranks.hpp"

namespace weir::cluster::multi {
namespace {

template <std::size_t Rank>
void there_and_back(Ranks& ranks, const std::array<std::size_t, Rank>& shape,
                    const std::array<std::size_t, Rank>& tile) {
  std::size_t count = 1;
  for (const std::size_t n : shape) count *= n;
  const auto array = Array<double, Rank>::distribute(
      ranks, shape, tile, owned_by([size = ranks.size()](std::span<const std::size_t> at) {
        return static_cast<int>(std::accumulate(at.begin(), at.end(), std::size_t{0}) % static_cast<std::size_t>(size));
      }));
  std::vector<double> from(count), to(count);
  std::iota(from.begin(), from.end(), 1.0);
  scatter(ranks, array, from.data(), 0);
  detail::for_each_tile(array, [&](const ArrayTile<double, Rank>& each, std::size_t) {
    ranks.spawn(inout(each), [n = each.extents()](auto view) {
      std::size_t elements = 1;
      for (const std::size_t extent : n) elements *= extent;
      for (std::size_t i = 0; i < elements; ++i) view.data()[i] *= 2;
    });
  });
  const int last = ranks.size() - 1;
  gather(ranks, array, to.data(), last);
  ranks.wait();
  if (ranks.rank() != last) return;
  for (std::size_t i = 0; i < count; ++i)
    expect(to[i] == 2 * (double(i) + 1), fmt::format("element {} twice as large", i));
}

void arrays() {
  Ranks ranks;
  there_and_back<1>(ranks, {1000}, {64});
  there_and_back<2>(ranks, {70, 130}, {32, 50});
  there_and_back<3>(ranks, {9, 20, 31}, {4, 8, 16});
}
const Named kArrays("arrays", arrays);

// A tile that many tasks of a rank read goes there once for each time that it is written.
void sent_once() {
  Ranks ranks;
  const std::size_t size = static_cast<std::size_t>(ranks.size());
  const auto a = Array<int, 1>::distribute(ranks, {size * 5000}, {5000}, block_cyclic(ranks.size()), "a");
  for (int round = 0; round < 3; ++round) {
    ranks.spawn(out(a.tile(0)), [round](std::span<int> v) { std::fill(v.begin(), v.end(), round); });
    for (int i = 0; i < 10; ++i) {
      for (int rank = 0; rank < ranks.size(); ++rank) {
        ranks.spawn(on_rank(rank), in(a.tile(0)), [round](std::span<const int> v) {
          expect(v[0] == round && v[4999] == round, "the version that was spawned before");
        });
      }
    }
  }
  ranks.barrier();
  const auto traffic = ranks.traffic();
  expect(traffic.tiles_sent == (ranks.rank() == 0 ? 3 * (size - 1) : 0), "sent once to each rank and version");
  expect(traffic.tiles_received == (ranks.rank() == 0 ? 0u : 3u), "received once for each version");
}
const Named kSentOnce("sent-once", sent_once);

// The dot product of two vectors whose tiles all ranks have: each adds up its own, and few copies are sent.
void sums() {
  Ranks ranks;
  const std::size_t size = static_cast<std::size_t>(ranks.size()), tiles = 10 * size;
  const auto x = Array<long, 1>::distribute(ranks, {tiles * 100}, {100}, block_cyclic(ranks.size()), "x");
  const auto sum = Array<long, 1>::distribute(ranks, {2}, {2}, owned_by([](auto) { return 0; }), "sum");
  for (std::size_t i = 0; i < tiles; ++i)
    ranks.spawn(out(x.tile(i)), [i](std::span<long> v) { std::iota(v.begin(), v.end(), long(i)); });
  ranks.spawn(out(sum.tile(0)), [](std::span<long> s) { s[0] = 5, s[1] = -1; });
  for (std::size_t i = 0; i < tiles; ++i) {
    ranks.spawn(in(x.tile(i)), reduce(sum.tile(0), std::plus<>(), 0), [](std::span<const long> v, std::span<long> s) {
      s[0] = std::inner_product(v.begin(), v.end(), v.begin(), s[0]);
    });
  }
  for (std::size_t i = 0; i < tiles; ++i) {  // another operation: folds what was added before
    ranks.spawn(in(x.tile(i)),
                reduce(
                    sum.tile(0), [](long a, long b) { return std::max(a, b); }, -1),
                [](std::span<const long> v, std::span<long> s) { s[1] = std::max(s[1], v.back()); });
  }
  long expected = 5;
  for (std::size_t i = 0; i < tiles; ++i)
    for (long k = 0; k < 100; ++k) expected += (long(i) + k) * (long(i) + k);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    ranks.spawn(on_rank(rank), in(sum.tile(0)), [expected, last = long(tiles) + 98](std::span<const long> s) {
      expect(s[0] == expected, fmt::format("the sum is {}, not {}", expected, s[0]));
      expect(s[1] == last, fmt::format("the greatest is {}, not {}", last, s[1]));
    });
  }
  ranks.barrier();
  const auto traffic = ranks.traffic();
  expect(traffic.tiles_sent == (ranks.rank() == 0 ? size - 1 : 2), fmt::format("{} copies sent", traffic.tiles_sent));
}
const Named kSums("sums", sums);

// Each rank's own file, and one of all, hold what was written.
void files() {
  Ranks ranks;
  const std::string folder = std::getenv("WEIR_TEST_FOLDER"), whole = folder + "/whole", own = folder + "/own";
  const std::array<std::size_t, 2> shape{37, 50};
  const auto distribution = block_cyclic_2d(1, ranks.size());
  const auto a = Array<int, 2>::distribute(ranks, shape, {10, 16}, distribution, "a");
  const auto b = Array<int, 2>::distribute(ranks, shape, {10, 16}, distribution, "b");
  const auto c = Array<int, 2>::distribute(ranks, shape, {9, 25}, distribution, "c");  // other tiles, the same file
  std::vector<int> from(37 * 50), to_b(from.size()), to_c(from.size());
  std::iota(from.begin(), from.end(), 1);
  scatter(ranks, a, from.data(), 0);
  write_file(ranks, a, whole);
  write_tiles(ranks, a, own);
  ranks.barrier();
  read_tiles(ranks, b, own);
  read_file(ranks, c, whole);
  gather(ranks, b, to_b.data(), 0);
  gather(ranks, c, to_c.data(), 0);
  ranks.barrier();
  if (ranks.rank() == 0) expect(to_b == from && to_c == from, "what was written was read");
}
const Named kFiles("files", files);

void expect_refused(const std::string& text, void (*body)(Ranks& ranks, const Array<int, 1>& a), Ranks& ranks,
                    const Array<int, 1>& a) {
  try {
    body(ranks, a);
  } catch (const Error& error) {
    return expect(std::string(error.what()).find(text) != std::string::npos, error.what());
  }
  expect(false, "refused: " + text);
}

void refusals() {
  Ranks ranks;
  const auto a = Array<int, 1>::distribute(ranks, {100}, {10}, block_cyclic(ranks.size()), "a");
  expect_refused(
      "on_rank(99)", [](Ranks& r, const auto& x) { r.spawn(on_rank(99), in(x.tile(0)), [] {}); }, ranks, a);
  expect_refused(
      "on_rank(-1)", [](Ranks& r, const auto& x) { r.spawn(on_rank(-1), inout(x.tile(1)), [] {}); }, ranks, a);
  expect_refused(
      "on_rank(-1)", [](Ranks& r, const auto& x) { gather<int, 1>(r, x, nullptr, -1); }, ranks, a);
  expect_refused(
      "on_rank(-1)", [](Ranks& r, const auto& x) { scatter<int, 1>(r, x, nullptr, -1); }, ranks, a);
  expect_refused(
      "names no tile", [](Ranks& r, const auto&) { r.spawn([] {}); }, ranks, a);
  expect_refused(
      "to rank 77",
      [](Ranks& r, const auto&) { Array<int, 1>::distribute(r, {10}, {5}, owned_by([](auto) { return 77; })); }, ranks,
      a);
  expect_refused(
      "names tile a[3]",
      [](Ranks& r, const auto& x) { r.spawn(in(x.tile(3)), reduce(x.tile(3), std::plus<>(), 0), [] {}); }, ranks, a);
  expect_refused(
      "a tile of another rank: spawn the task by Ranks::spawn()",
      [](Ranks& r, const auto& x) { r.runtime().spawn(in(x.tile(static_cast<std::size_t>(1 - r.rank()))), [] {}); },
      ranks, a);
  expect_refused(
      "another thread",
      [](Ranks& r, const auto& x) {
        std::exception_ptr failure;
        std::thread([&] {
          try {
            r.spawn(in(x.tile(0)), [] {});
          } catch (...) {
            failure = std::current_exception();
          }
        }).join();
        std::rethrow_exception(failure);
      },
      ranks, a);
  ranks.barrier();
}
const Named kRefusals("refusals", refusals);

// The last rank's task throws; all ranks are told.
void failing_task() {
  Ranks ranks;
  const int last = ranks.size() - 1;
  const std::string told = told_by([&] {
    const auto a = Array<int, 1>::distribute(ranks, {40000}, {10000}, block_cyclic(ranks.size()), "a");
    ranks.spawn(on_rank(last), out(a.tile(0)), [](std::span<int>) { throw std::runtime_error("no such luck"); });
    for (int rank = 0; rank < ranks.size(); ++rank)
      ranks.spawn(on_rank(rank), inout(a.tile(0)), [](std::span<int> v) { v[0] = 1; });
    ranks.barrier();
  });
  expect(told.find("no such luck") != std::string::npos, "told of the failure: " + told);
  if (ranks.rank() != last) expect(told.find(fmt::format("rank {}", last)) != std::string::npos, told);
}
const Named kFailingTask("failing-task", failing_task);

// The last rank cannot make what it owns of an array, or cannot say who owns what, and its program goes on to its end.
// `fails` makes the array, or fails.
void failing_array(void (*fails)(Ranks&, bool), const std::string& why) {
  Ranks ranks;
  const bool is_last = ranks.rank() == ranks.size() - 1;
  std::string told = told_by([&] { fails(ranks, is_last); });
  if (!is_last) told = told == "nothing" ? told_by([&] { ranks.barrier(); }) : told;
  expect(told.find(why) != std::string::npos, "told of the failure: " + told);
  if (!is_last) expect(told.find(fmt::format("rank {}", ranks.size() - 1)) != std::string::npos, told);
}
// WEIR_TIERS says what there is.
void array_without_room() {
  failing_array(
      [](Ranks& ranks, bool) {
        const int last = ranks.size() - 1;
        Array<char, 1>::distribute(ranks, {std::size_t{256} << 20}, {1 << 20}, owned_by([last](auto) { return last; }));
      },
      "has no place in any tier");
}
const Named kArrayWithoutRoom("array-without-room", array_without_room);
void throwing_distribution() {
  failing_array(
      [](Ranks& ranks, bool is_last) {
        Array<int, 1>::distribute(ranks, {10}, {5}, owned_by([is_last](auto) {
                                    if (is_last) throw std::runtime_error("no such luck");
                                    return 0;
                                  }));
      },
      "no such luck");
}
const Named kThrowingDistribution("throwing-distribution", throwing_distribution);

// Tiles that are longer on the last rank: the array is named on all, or a tile where one has come there before.
void other_sizes() {
  Ranks ranks;
  const std::size_t tile = static_cast<std::size_t>(setting("WEIR_TILE", 10)) + (ranks.rank() == ranks.size() - 1);
  const std::string told = told_by([&] {
    const auto a = Array<int, 1>::distribute(ranks, {2 * tile}, {tile}, owned_by([](auto) { return 0; }), "a");
    ranks.spawn(out(a.tile(1)), [](std::span<int> v) { v[0] = 1; });
    for (int rank = 1; rank < ranks.size(); ++rank) ranks.spawn(on_rank(rank), in(a.tile(1)), [] {});
    ranks.barrier();
  });
  expect(told.find("tile a[1] has ") != std::string::npos || told.find("array a has other tiles") != std::string::npos,
         "told which array it is: " + told);
  expect(told.find(fmt::format("on rank {}", ranks.size() - 1)) != std::string::npos, told);
}
const Named kOtherSizes("other-sizes", other_sizes);

// A distribution that is another one on the last rank, of tiles that no rank has to be sent.
void other_owners() {
  Ranks ranks;
  const bool is_last = ranks.rank() == ranks.size() - 1;
  const std::string told = told_by([&] {
    const auto a = Array<int, 1>::distribute(ranks, {10}, {5}, block_cyclic(ranks.size()), "a");
    const auto b = Array<int, 1>::distribute(ranks, {10}, {5}, owned_by([=](auto) { return is_last ? 0 : 1; }), "b");
    for (const std::size_t tile : {0, 1}) ranks.spawn(out(b.tile(tile)), [] {});
    ranks.barrier();
  });
  expect(told.find("array b has other owners of its tiles on rank") != std::string::npos, "told: " + told);
}
const Named kOtherOwners("other-owners", other_owners);

// fsync() says what is wrong, which no write() has (failing_sync.cpp).
template <class Write>
void unkept(const Write& write) {
  Ranks ranks;
  const std::string told = told_by([&] {
    const auto a = Array<int, 1>::distribute(ranks, {60}, {5}, block_cyclic(ranks.size()), "a");
    for (std::size_t i = 0; i < 12; ++i) ranks.spawn(out(a.tile(i)), [](std::span<int> v) { v[0] = 1; });
    write(ranks, a, std::string(std::getenv("WEIR_TEST_FOLDER")) + "/a");
    ranks.barrier();
  });
  expect(told.find("tiles cannot be written: Disk quota exceeded") != std::string::npos, "told of it: " + told);
}
void unkept_file() {
  unkept([](Ranks& ranks, const auto& a, const std::string& path) { write_file(ranks, a, path); });
}
const Named kUnkeptFile("unkept-file", unkept_file);
void unkept_tiles() {
  unkept([](Ranks& ranks, const auto& a, const std::string& path) { write_tiles(ranks, a, path); });
}
const Named kUnkeptTiles("unkept-tiles", unkept_tiles);

// What no wait() takes is reported when the ranks end, of whatever type it is.
void untaken() {
  Ranks ranks;
  const std::string told = told_by([&] {
    const auto a = Array<int, 1>::distribute(ranks, {8}, {4}, block_cyclic(ranks.size()), "a");
    ranks.spawn(on_rank(0), out(a.tile(0)), [](std::span<int>) { throw 42; });
  });
  // Another rank may learn of it before it spawns.
  expect(told == "nothing" || (ranks.rank() != 0 && told.find("rank 0 has failed") != std::string::npos), told);
}
const Named kUntaken("untaken", untaken);

// A rank that leaves by an exception is a failure of all, also where they wait for one another only.
void leaving() {
  Ranks ranks;
  if (ranks.size() > 1 && ranks.rank() == 0) throw std::runtime_error("leaves");
  try {
    ranks.barrier();
  } catch (const Error& error) {
    expect(std::string(error.what()).find("rank 0 has left") != std::string::npos, error.what());
    return;
  }
  expect(ranks.size() == 1, "the barrier fails");
}
const Named kLeaving("leaving", leaving);

// A rank that is killed: its number is in what the others are told.
void killed() {
  Ranks ranks;
  const int last = ranks.size() - 1;
  if (ranks.rank() == last) std::_Exit(9);
  const std::string told = told_by([&] {
    const auto a = Array<int, 1>::distribute(ranks, {40000}, {10000}, block_cyclic(ranks.size()), "a");
    ranks.spawn(on_rank(0), inout(a.tile(static_cast<std::size_t>(last))), [](std::span<int> v) { v[0] = 1; });
    ranks.barrier();
  });
  expect(told.find(fmt::format("rank {}", last)) != std::string::npos, "told who is lost: " + told);
}
const Named kKilled("killed", killed);

// Tiles that never fit in the fast tier, of a task of the last rank; all ranks are told.
void too_large() {
  Ranks ranks;
  const std::string told = told_by([&] {
    const auto a = Array<int, 1>::distribute(ranks, {4 * 200'000}, {200'000}, block_cyclic(ranks.size()), "a");
    for (std::size_t i = 0; i < 4; ++i) ranks.spawn(out(a.tile(i)), [](std::span<int> v) { v[0] = 1; });
    ranks.spawn(on_rank(ranks.size() - 1), in(a.tile(0)), in(a.tile(1)), inout(a.tile(2)), [] {});
    for (int rank = 0; rank < ranks.size(); ++rank) ranks.spawn(on_rank(rank), inout(a.tile(2)), [] {});
    ranks.barrier();
  });
  expect(told.find("memory") != std::string::npos, "told what does not fit: " + told);
}
const Named kTooLarge("too-large", too_large);

// Together they have more tiles than their fast tiers hold; WEIR_TIERS says how large those are.
void more_than_memory() {
  Ranks ranks;
  constexpr std::size_t kWords = 16 * 1024, kTiles = 48;
  const auto a =
      Array<std::uint64_t, 1>::distribute(ranks, {kTiles * kWords}, {kWords}, block_cyclic(ranks.size()), "a");
  for (std::size_t i = 0; i < kTiles; ++i)
    ranks.spawn(out(a.tile(i)), [i](std::span<std::uint64_t> v) { std::iota(v.begin(), v.end(), i); });
  for (std::size_t round = 1; round <= 3; ++round) {
    for (std::size_t i = 0; i < kTiles; ++i) {
      ranks.spawn(in(a.tile((i * 7 + round) % kTiles)), inout(a.tile(i)),
                  [](std::span<const std::uint64_t> from, std::span<std::uint64_t> to) {
                    for (std::size_t k = 0; k < to.size(); ++k) to[k] += from[k] / 2;
                  });
    }
  }
  std::vector<std::uint64_t> found(ranks.rank() == 0 ? kTiles * kWords : 0);
  gather(ranks, a, found.data(), 0);
  ranks.barrier();
  if (ranks.rank() != 0) return;
  std::vector<std::uint64_t> expected(kTiles * kWords);
  for (std::size_t i = 0; i < kTiles; ++i)
    std::iota(expected.begin() + long(i * kWords), expected.begin() + long((i + 1) * kWords), i);
  for (std::size_t round = 1; round <= 3; ++round) {
    for (std::size_t i = 0; i < kTiles; ++i) {
      for (std::size_t k = 0; k < kWords; ++k)
        expected[i * kWords + k] += expected[(i * 7 + round) % kTiles * kWords + k] / 2;
    }
  }
  expect(found == expected, "as in one memory");
}
const Named kMoreThanMemory("more-than-memory", more_than_memory);

}  // namespace
}  // namespace weir::cluster::multi
