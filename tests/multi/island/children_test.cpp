// SPDX-License-Identifier: Apache-2.0

// Tasks that make tasks.
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <numeric>
#include <stdexcept>

#include "processes.hpp"

namespace weir::island {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Children : public OnIslands {};

INSTANTIATE_TEST_SUITE_P(Kinds, Children,
                         testing::Combine(testing::Values(IslandMemory::coherent, IslandMemory::flush,
                                                          IslandMemory::checked),
                                          testing::Values(1, 2, 8)),
                         name_of);

// Halves down to a line.
void count_up(int* x, std::size_t count) {
  if (count <= 16) {
    for (std::size_t i = 0; i < count; ++i) x[i] += static_cast<int>(i);
    return;
  }
  for (int* const half : {x, x + count / 2})
    spawn(inout(half, count / 2), [count](std::span<int> s) { count_up(s.data(), count / 2); });
}

TEST_P(Children, MayMakeChildrenAndWhatWaitsForTheFirstWaitsForAll) {
  Master master(options());
  constexpr std::size_t kCount = 1024;
  int* const x = master.allocate<int>(kCount);
  int* const sum = master.allocate<int>(1);
  for (int round = 1; round <= 3; ++round) {
    master.spawn(inout(x, kCount), [](std::span<int> s) { count_up(s.data(), s.size()); });
    master.spawn(in(x, kCount), inout(*sum),
                 [](std::span<const int> s, int& to) { to = std::accumulate(s.begin(), s.end(), 0); });
    if (round == 2) continue;  // two rounds in flight
    master.wait();
    EXPECT_EQ(*sum, round * 64 * 120);
  }
}

TEST_P(Children, BeginWhenTheirParentHasEndedAndAreOrderedAmongThemselves) {
  Master master(options());
  auto* const x = master.allocate<std::uint64_t>(1);
  std::uint64_t expected = 5;
  master.spawn(inout(*x), [](std::uint64_t& value) {
    for (std::uint64_t i = 0; i < 40; ++i) spawn(inout(value), [i](std::uint64_t& v) { v = v * 3 + i; });
    value = 5;
  });
  for (std::uint64_t i = 0; i < 40; ++i) expected = expected * 3 + i;
  master.wait();
  EXPECT_EQ(*x, expected);
}

// More than the places for what a worker says of them, with callables longer than a letter.
TEST_P(Children, MayBeManyAndLarge) {
  Options large = options();
  large.throttle = 4;
  Master master(large);
  constexpr std::size_t kCount = 300;
  auto* const x = master.allocate<int>(kCount * 16);
  master.spawn(out(x, kCount * 16), [](std::span<int> s) {
    std::array<int, 150> many{};
    for (std::size_t i = 0; i < kCount; ++i) {
      many.fill(static_cast<int>(i));
      spawn(out(s[16 * i]), name("large"), [many](int& to) { to = std::accumulate(many.begin(), many.end(), 0); });
    }
  });
  master.wait();
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(x[16 * i], 150 * static_cast<int>(i));
  EXPECT_EQ(master.statistics().tasks_run, kCount + 1);
}

TEST_P(Children, MayNameAPrivateCopyOfTheirParent) {
  Master master(options());
  auto* const x = master.allocate<int>(32);
  auto* const sum = master.allocate<int>(1);
  for (std::size_t i = 0; i < 32; i += 16) {
    master.spawn(concurrent(x, 32), reduce(*sum, std::plus<>(), 0), [i](std::span<int> s, int& mine) {
      spawn(out(s.data() + i, 16), [i](std::span<int> part) { std::ranges::fill(part, static_cast<int>(i) + 1); });
      for (int k = 0; k < 3; ++k) spawn(inout(mine), [k](int& m) { m += k; });
    });
  }
  master.wait();
  EXPECT_EQ(std::accumulate(x, x + 32, 0), 16 * 1 + 16 * 17);
  EXPECT_EQ(*sum, 6);
}

TEST_P(Children, OfATaskThatThrowsDoNotRun) {
  Master master(options());
  auto* const x = master.allocate<int>(1);
  master.spawn(inout(*x), name("maker"), [](int& value) {
    value = 1;
    spawn(inout(value), [](int& v) { v = 2; });
    throw std::runtime_error("no");
  });
  EXPECT_THAT(error_of([&] { master.wait(); }), AllOf(HasSubstr("task 'maker'"), HasSubstr("threw: no")));
  EXPECT_EQ(*x, 1);
}

TEST_P(Children, ThatThrowAreNamedAndTheOthersCancelled) {
  Master master(options());
  auto* const x = master.allocate<int>(1);
  master.spawn(inout(*x), name("maker"), [](int& value) {
    spawn(inout(value), name("made"), [](int&) { throw std::runtime_error("no"); });
    spawn(inout(value), [](int& v) { v = 2; });
  });
  EXPECT_THAT(error_of([&] { master.wait(); }), AllOf(HasSubstr("task 'made', spawned at "), HasSubstr("threw: no")));
  EXPECT_EQ(*x, 0);
  EXPECT_EQ(master.statistics().tasks_cancelled, 1u);
}

// What `make` throws, with x[0, 16) written, y[0, 2) and y[8, 10) read.
template <class Make>
std::string refusal_of(const Make& make) {
  Master master(options_of(1, IslandMemory::coherent));
  int* const x = master.allocate<int>(32);
  int* const y = master.allocate<int>(32);
  master.spawn(out(x, 16), in(y, 2), in(y + 8, 2), [x, y, make] { make(x, y); });
  return error_of([&] { master.wait(); });
}

TEST(ChildrenOfATask, NameWhatTheirParentNames) {
  EXPECT_EQ(refusal_of([](int* x, int* y) {
              spawn(inout(x + 3, 13), in(y, 2), [] {});
              spawn(in(x, 16), in(y, 1), in(y + 8, 1), [] {});
              spawn(in(y + 8, 2), [] {});
            }),
            "no error");
  EXPECT_THAT(refusal_of([](int* x, int*) { spawn(out(x + 3, 14), [] {}); }),
              AllOf(HasSubstr("writes 56 bytes"), HasSubstr("within its parent's")));
  EXPECT_THAT(refusal_of([](int*, int* y) { spawn(out(y, 2), [] {}); }), HasSubstr("writes 8 bytes"));
  EXPECT_THAT(refusal_of([](int*, int* y) { spawn(in(y, 3), [] {}); }), HasSubstr("reads 12 bytes"));
  EXPECT_THAT(refusal_of([](int* x, int*) { spawn(concurrent(x, 16), [](std::span<int>) {}); }),
              HasSubstr("concurrent and reduce are for tasks that the program makes"));
  int local = 0;
  EXPECT_THAT(error_of([&] { spawn(inout(local), [] {}); }), HasSubstr("outside of a task on an island"));
}

class ChildrenOfDead : public OnIslands {};
INSTANTIATE_TEST_SUITE_P(Kinds, ChildrenOfDead,
                         testing::Combine(testing::Values(IslandMemory::coherent, IslandMemory::checked),
                                          testing::Values(2, 3)),
                         name_of);

// Once before its parent has ended, once as a child.
TEST_P(ChildrenOfDead, AreMadeAgain) {
  for (const bool in_child : {false, true}) {
    Token token;
    token.close_writing();
    Master master(std::apply([](auto kind, int n) { return options_of(n, kind); }, GetParam()), {1, 0});
    auto* const x = master.allocate<int>(64);
    master.spawn(inout(x, 64), [in_child, reading = token.reading()](std::span<int> s) {
      s[0] = 5;
      for (std::size_t i = 0; i < 64; i += 16) {
        spawn(inout(s.data() + i, 16), [in_child, reading](std::span<int> part) {
          for (int& value : part) ++value;
          if (in_child && take(reading)) ::raise(SIGKILL);
        });
      }
      if (!in_child && take(reading)) ::raise(SIGKILL);
    });
    master.wait();
    EXPECT_EQ(std::accumulate(x, x + 64, 0), 64 + 5);
    EXPECT_GE(master.statistics().tasks_rerun, 1u);
    EXPECT_EQ(master.statistics().tasks_run, 5u);
  }
}

}  // namespace
}  // namespace weir::island
