// SPDX-License-Identifier: Apache-2.0

// Random graphs in checked memory: all modes, any overlap, against one task after the other. A few here;
// WEIR_ISLAND_SEEDS=10000 is the long run.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#include "processes.hpp"

namespace weir::island {
namespace {

using Word = std::uint64_t;
constexpr std::size_t kCells = 48;  // in six lines

struct Spot {
  std::size_t first, count;
};

Word fold(std::span<const Word> cells, Word sum) {
  for (const Word cell : cells) sum = sum * 31 + cell;
  return sum;
}
void mix(std::span<Word> cells, Word salt) {
  for (Word& cell : cells) cell = cell * 5 + salt++;
}

// Makes the same tasks on islands and, one after the other, on `model`.
class RandomTasks {
 public:
  RandomTasks(Master& master, unsigned seed) : master_(master), random_(seed), cells_(master.allocate<Word>(kCells)) {
    for (std::size_t i = 0; i < kCells; ++i) cells_[i] = model_[i] = i * seed;
  }

  void spawn(Word salt) {
    const Spot a = spot(), b = spot();
    const std::size_t at = random_() % kCells;
    switch (random_() % 6) {
      case 5: change_in_parts(b, salt); break;
      case 0:
        master_.spawn(in(cells_ + a.first, a.count), inout(cells_[at]),
                      [salt](std::span<const Word> s, Word& to) { to = fold(s, to + salt); });
        model_[at] = fold({&model_[a.first], a.count}, model_[at] + salt);
        break;
      case 1: change(b, salt); break;
      case 2:
        master_.spawn(out(cells_ + b.first, b.count), [salt](std::span<Word> s) { std::ranges::fill(s, salt); });
        std::fill_n(&model_[b.first], b.count, salt);
        break;
      case 3:
        for (Word i = 0; i < 3; ++i)
          master_.spawn(reduce(cells_[at], std::plus<>(), Word{0}), [i, salt](Word& copy) { copy += salt + i; });
        model_[at] += 3 * salt + 3;
        break;
      default:
        // Between others: two that run at the same time must not change one cell.
        change(b, salt);
        for (std::size_t i = 0; i < b.count; ++i)
          master_.spawn(concurrent(cells_ + b.first, b.count), [i, salt](std::span<Word> s) { s[i] ^= salt; });
        for (std::size_t i = 0; i < b.count; ++i) model_[b.first + i] ^= salt;
        change(b, salt);
    }
  }
  void expect_equal() const {
    for (std::size_t i = 0; i < kCells; ++i) ASSERT_EQ(cells_[i], model_[i]) << "cell " << i;
  }

 private:
  void change(Spot where, Word salt) {
    master_.spawn(inout(cells_ + where.first, where.count), [salt](std::span<Word> s) { mix(s, salt); });
    mix({&model_[where.first], where.count}, salt);
  }
  // Tasks that a task makes: each cell by one, then each by one that has all, then the first by several; then all by
  // one more, which has children, too.
  void change_in_parts(Spot where, Word salt) {
    master_.spawn(inout(cells_ + where.first, where.count), [salt](std::span<Word> s) {
      mix(s, salt);
      for (Word& cell : s) island::spawn(inout(cell), [salt](Word& one) { one = one * 3 + salt; });
      for (std::size_t i = 0; i < s.size(); ++i)
        island::spawn(concurrent(s.data(), s.size()), [i, salt](std::span<Word> all) { all[i] ^= salt; });
      for (Word i = 0; i < 3; ++i) {
        island::spawn(reduce(s[0], std::plus<>(), Word{0}), [i](Word& copy) {
          island::spawn(reduce_ordered(copy, std::plus<>(), Word{0}), [i](Word& part) { part += i; });
          copy = 5;
        });
      }
      island::spawn(inout(s.data(), s.size()), [salt](std::span<Word> all) {
        mix(all, salt);
        island::spawn(in(all.data(), all.size()), inout(all[0]),
                      [](std::span<const Word> seen, Word& to) { to = fold(seen, 1); });
      });
    });
    const std::span<Word> s(&model_[where.first], where.count);
    mix(s, salt);
    for (Word& cell : s) cell = (cell * 3 + salt) ^ salt;
    s[0] += 3 * 5 + 3;
    mix(s, salt);
    s[0] = fold(s, 1);
  }
  Spot spot() {
    const std::size_t first = random_() % kCells;
    return {first, 1 + random_() % std::min<std::size_t>(kCells - first, 12)};
  }

  Master& master_;
  std::mt19937 random_;
  Word* cells_;
  Word model_[kCells];
};

TEST(RandomGraphs, InCheckedMemoryGiveWhatOneTaskAfterTheOtherGives) {
  const char* const wanted = std::getenv("WEIR_ISLAND_SEEDS");
  const int seeds = wanted != nullptr ? std::atoi(wanted) : 12;
  for (int seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Options options = options_of(1 + seed % 4, IslandMemory::checked, seed % 3 == 0 ? 0 : seed);
    options.island_heap = 2;
    options.throttle = seed % 3 == 1 ? 6 : 0;
    Master master(options, {seed % 5 == 0 ? 1 : 0, seed % 2, seed % 4 < 2});
    RandomTasks tasks(master, static_cast<unsigned>(seed));
    for (Word i = 1; i <= 80; ++i) {
      tasks.spawn(i);
      if (i % 40 != 0) continue;
      master.wait();
      tasks.expect_equal();
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace weir::island
