// SPDX-License-Identifier: Apache-2.0

// A program over ranks that can be killed at any time: numbers that are mixed from tile to tile, step after step, until
// a sum that the ranks make together says that it is enough. All arithmetic is of integers, so the last line is the
// same on any number of ranks.
//
//   mixing_rank STEPS [owners]     owners: "bands" (default) or "cyclic"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <weir/ranks.hpp>

namespace {

constexpr std::size_t kTiles = 12, kTile = 20'000, kLast = 7'000;
using Numbers = std::span<std::uint64_t>;
using Read = std::span<const std::uint64_t>;

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15;
  return x ^ x >> 29;
}

void run(weir::Ranks& ranks, std::uint64_t steps, const weir::Distribution& owners) {
  auto a = weir::Array<std::uint64_t, 1>::distribute(ranks, {(kTiles - 1) * kTile + kLast}, {kTile}, owners, "a");
  auto sum = weir::Array<std::uint64_t, 1>::distribute(ranks, {1}, {1}, weir::block_cyclic(1), "sum");
  std::uint64_t done = 0;  // steps, as a task counts them
  const weir::Keep kept(ranks, "done", done);
  for (std::size_t i = 0; i < kTiles; ++i)
    ranks.spawn(weir::out(a.tile(i)), [i](Numbers x) { std::iota(x.begin(), x.end(), i << 40); });
  ranks.spawn(weir::out(sum.tile(0)), [](Numbers s) { s[0] = 0; });
  while (done < steps) {
    for (std::size_t i = 0; i < kTiles; ++i) {
      ranks.spawn(weir::in(a.tile((i + 5) % kTiles)), weir::inout(a.tile(i)), [](Read from, Numbers to) {
        for (std::size_t k = 0; k < to.size(); ++k) to[k] = mixed(to[k] + from[k % from.size()]);
      });
      ranks.spawn(weir::in(a.tile(i)), weir::reduce(sum.tile(0), std::plus<>(), 0),
                  [](Read x, Numbers s) { s[0] += x[x.size() / 2]; });
    }
    for (int rank = 0; rank < ranks.size(); ++rank)
      ranks.spawn(weir::on_rank(rank), weir::in(sum.tile(0)), weir::inout(done), [](Read, std::uint64_t& n) { ++n; });
    ranks.wait();
  }
  for (std::size_t i = 0; i < kTiles; ++i) {
    ranks.spawn(weir::in(a.tile(i)), weir::inout(sum.tile(0)), [](Read x, Numbers s) {
      for (const std::uint64_t n : x) s[0] = mixed(s[0] + n);
    });
  }
  std::uint64_t result = 0;
  const weir::Keep kept_result(ranks, "result", result);
  for (int rank = 0; rank < ranks.size(); ++rank)
    ranks.spawn(weir::on_rank(rank), weir::in(sum.tile(0)), weir::out(result),
                [](Read s, std::uint64_t& r) { r = s[0]; });
  ranks.barrier();
  if (ranks.rank() == 0)
    std::printf("%llu steps: %016llx\n", static_cast<unsigned long long>(done),
                static_cast<unsigned long long>(result));
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t steps = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 40;
  const bool cyclic = argc > 2 && std::strcmp(argv[2], "cyclic") == 0;
  try {
    weir::Ranks ranks;
    run(ranks, steps, cyclic ? weir::block_cyclic(ranks.size()) : weir::bands(ranks.size(), kTiles));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mixing_rank: %s\n", error.what());
    return 1;
  }
  return 0;
}
