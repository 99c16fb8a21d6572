// SPDX-License-Identifier: Apache-2.0

// A program over ranks whose mistake is on rank 1: there a task reads a tile that it does not name. With the argument
// `sound` it makes none.
#include <cstddef>
#include <cstdio>
#include <functional>
#include <span>
#include <string_view>

#include "weir/ranks.hpp"

int main(int count, char** arguments) {
  const bool is_sound = count > 1 && arguments[1] == std::string_view("sound");
  constexpr std::size_t kSmall = 100, kLarge = 10'000;
  weir::Ranks ranks;
  const auto n = static_cast<std::size_t>(ranks.size());
  const weir::Distribution each = weir::block_cyclic(ranks.size());
  const auto a = weir::Array<double, 1>::distribute(ranks, {n * kSmall}, {kSmall}, each, "a");
  const auto large = weir::Array<double, 1>::distribute(ranks, {n * kLarge}, {kLarge}, each, "large");
  const auto sum = weir::Array<double, 1>::distribute(ranks, {1}, {1}, weir::block_cyclic(1), "sum");
  static const double* seen = nullptr;
  for (std::size_t i = 0; i < n; ++i) {
    ranks.spawn(weir::name("make"), weir::out(a.tile(i)), weir::out(large.tile(i)),
                [](std::span<double> small, std::span<double> tile) {
                  for (double& x : small) x = 1;
                  for (double& x : tile) x = 1;
                  seen = small.data();
                });
  }
  ranks.wait();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t next = (i + 1) % n;
    ranks.spawn(weir::name("use"), weir::in(a.tile(next)), weir::in(large.tile(next)), weir::inout(large.tile(i)),
                [](std::span<const double> small, std::span<const double> from, std::span<double> to) {
                  to[0] += small[0] + from[0];
                });
    ranks.spawn(weir::name("add"), weir::in(large.tile(i)), weir::reduce(sum.tile(0), std::plus<>(), 0.0),
                [](std::span<const double> from, std::span<double> to) { to[0] += from[0]; });
  }
  if (!is_sound) {
    ranks.spawn(weir::name("bad"), weir::on_rank(1), weir::inout(large.tile(1 % n)), [](std::span<double> tile) {
      tile[0] = seen[5];  // FINDS on rank 1: undeclared
    });
  }
  ranks.spawn(weir::in(sum.tile(0)), [](std::span<const double> s) { std::printf("%.0f\n", s[0]); });
  ranks.barrier();
}
