// SPDX-License-Identifier: Apache-2.0

// Tasks that make tasks.
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <functional>
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

TEST_P(Children, MayNameInOneItemWhatTheirParentNamesInSeveral) {
  Master master(options());
  auto* const x = master.allocate<int>(1024);
  std::iota(x, x + 1024, 0);
  master.spawn(inout(x, 512), inout(x + 512, 512), [](std::span<int> first, std::span<int>) {
    spawn(inout(first.data(), 1024), [](std::span<int> all) { std::ranges::reverse(all); });
  });
  master.wait();
  for (int i = 0; i < 1024; ++i) ASSERT_EQ(x[i], 1023 - i);
}

TEST_P(Children, NameNothingBetweenWhatTheirParentNames) {
  Master master(options());
  auto* const x = master.allocate<int>(48);
  master.spawn(inout(x, 16), in(x + 16, 16), inout(x + 32, 16), [](auto first, auto, auto) {
    spawn(in(first.data(), 48), [](std::span<const int>) {});
    spawn(inout(first.data(), 48), [](std::span<int>) {});
  });
  try {
    master.wait();
    FAIL() << "it writes what its parent reads";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("it makes a task that writes 192 bytes at"));
  }
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

TEST_P(Children, MayAddUpWhatTheirParentNames) {
  Master master(options());
  constexpr std::size_t kCount = 1000;
  auto* const x = master.allocate<double>(kCount);
  auto* const sum = master.allocate<double>(1);
  std::iota(x, x + kCount, 1.0);
  master.spawn(in(x, kCount), inout(*sum), [](std::span<const double> s, double& total) {
    for (std::size_t i = 0; i < s.size(); i += 100) {
      weir::island::spawn(
          in(&s[i], 100), reduce(total, std::plus<>(), 0.0),
          [](std::span<const double> part, double& to) { to = std::accumulate(part.begin(), part.end(), to); });
    }
  });
  master.wait();
  EXPECT_EQ(*sum, 1000 * 1001 / 2);
}

struct Moments {
  std::uint64_t count, sum, squares;
};
struct Plus {
  Moments operator()(const Moments& a, const Moments& b) const {
    return {a.count + b.count, a.sum + b.sum, a.squares + b.squares};
  }
};

// Of what the parent holds, between tasks that read and change it, and of the private copy that it has itself.
TEST_P(Children, MayReduce) {
  Master master(options());
  constexpr std::uint64_t kCount = 40;
  auto* const x = master.allocate<std::uint64_t>(kCount);
  auto* const own = master.allocate<Moments>(1);
  auto* const all = master.allocate<Moments>(1);
  auto* const seen = master.allocate<std::uint64_t>(1);
  std::iota(x, x + kCount, 1);
  *own = {1, 2, 3};
  for (int round = 0; round < 2; ++round) {
    master.spawn(in(x, kCount), inout(*own), out(*seen), reduce(*all, Plus(), Moments{}),
                 [](std::span<const std::uint64_t> s, Moments& mine, std::uint64_t& between, Moments& copy) {
                   for (std::size_t i = 0; i < s.size(); ++i) {
                     if (i == s.size() / 2) {
                       spawn(in(mine), out(between), [](const Moments& m, std::uint64_t& to) { to = m.sum; });
                       spawn(inout(mine), [](Moments& m) { m.count += 100; });
                     }
                     for (Moments* const to : {&mine, &copy}) {
                       spawn(in(s[i]), reduce(*to, Plus(), Moments{}), name("add"),
                             [](const std::uint64_t& value, Moments& part) {
                               part = Plus()(part, {1, value, value * value});
                             });
                     }
                   }
                 });
  }
  master.wait();
  const std::uint64_t sum = kCount * (kCount + 1) / 2, squares = sum * (2 * kCount + 1) / 3;
  EXPECT_EQ(own->count, 1 + 2 * (kCount + 100));
  EXPECT_EQ(own->sum, 2 + 2 * sum);
  EXPECT_EQ(own->squares, 3 + 2 * squares);
  EXPECT_EQ(all->count, 2 * kCount);
  EXPECT_EQ(all->squares, 2 * squares);
  EXPECT_EQ(*seen, 2 + sum + 20 * 21 / 2);
}

// Of the memory itself and of the private copy that their parent has.
TEST_P(Children, ThatAreConcurrentChangeDifferentElementsOfOneLine) {
  Master master(options());
  auto* const x = master.allocate<int>(32);
  for (int i = 0; i < 32; ++i) x[i] = 100 * i;
  const auto each_adds_one = [](std::span<int> s, std::size_t first) {
    for (std::size_t i = first; i < first + 8; ++i)
      spawn(concurrent(s.data(), s.size()), [i](std::span<int> copy) { ++copy[i]; });
  };
  for (int round = 0; round < 3; ++round) {
    master.spawn(inout(x, 32), [each_adds_one](std::span<int> s) {
      for (std::size_t first = 0; first < 32; first += 8) each_adds_one(s, first);
      spawn(inout(s.data(), s.size()), [](std::span<int> all) {
        for (int& value : all) ++value;
      });
    });
    for (std::size_t first = 0; first < 32; first += 8)
      master.spawn(concurrent(x, 32), [each_adds_one, first](std::span<int> s) { each_adds_one(s, first); });
  }
  master.wait();
  for (int i = 0; i < 32; ++i) EXPECT_EQ(x[i], 100 * i + 9);
}

struct Affine {
  std::uint64_t factor, term;
};
struct Then {
  Affine operator()(const Affine& a, const Affine& b) const {
    return {a.factor * b.factor, a.term * b.factor + b.term};
  }
};

void add_in_order(Affine& to, std::uint64_t first) {
  for (std::uint64_t i = first; i < first + 10; ++i) {
    spawn(reduce_ordered(to, Then(), Affine{1, 0}), [i](Affine& copy) { copy = Then()(copy, {2 * i + 3, i}); });
  }
}

// Between others that the program and their siblings have made earlier and that wait for their parent.
TEST_P(Children, AreFoldedInTheirOrder) {
  Master master(options());
  auto* const all = master.allocate<Affine>(1);
  *all = {1, 0};
  Affine expected{1, 0};
  for (std::uint64_t round = 0; round < 60; round += 30) {
    master.spawn(inout(*all), [round](Affine& a) {
      spawn(inout(a), [round](Affine& same) { add_in_order(same, round); });
      add_in_order(a, round + 10);
    });
    for (std::uint64_t i = round + 20; i < round + 30; ++i) {
      master.spawn(reduce_ordered(*all, Then(), Affine{1, 0}), [i](Affine& copy) {
        copy = Then()(copy, {2 * i + 3, i});
      });
    }
    for (std::uint64_t i = round; i < round + 30; ++i) expected = Then()(expected, {2 * i + 3, i});
  }
  master.wait();
  EXPECT_EQ(all->factor, expected.factor);
  EXPECT_EQ(all->term, expected.term);
}

TEST(ChildrenOfATask, ThatChangeOneByteAtTheSameTimeAreTold) {
  Master master(options_of(2, IslandMemory::coherent));
  auto* const x = master.allocate<int>(1);
  master.spawn(inout(*x), [](int& value) {
    for (const int mine : {1, 2}) spawn(concurrent(value), name("clash"), [mine](int& copy) { copy = mine; });
  });
  EXPECT_THAT(error_of([&] { master.wait(); }),
              AllOf(HasSubstr("task 'clash', spawned at "), HasSubstr("another task, which ran at the same time")));
}

TEST(ChildrenOfATask, WhoseCopiesDoNotFitAreAnErrorWithTheSizes) {
  Master master(options_of(2, IslandMemory::coherent));
  constexpr std::size_t kCount = std::size_t{6} << 20;  // of a heap of 16 MiB
  auto* const x = master.allocate<char>(kCount);
  master.spawn(inout(x, kCount), name("maker"), [](std::span<char> s) {
    for (int i = 0; i < 2; ++i) spawn(concurrent(s.data(), s.size()), [](std::span<char> copy) { copy[0] = 1; });
  });
  EXPECT_THAT(error_of([&] { master.wait(); }),
              AllOf(HasSubstr("task 'maker'"), HasSubstr("made tasks: 6291456 bytes of memory that islands share")));
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
  EXPECT_THAT(refusal_of([](int*, int* y) { spawn(concurrent(y, 2), [](std::span<int>) {}); }),
              HasSubstr("writes 8 bytes"));
  EXPECT_THAT(refusal_of([](int*, int* y) { spawn(reduce(*y, std::plus<>(), 0), [](int&) {}); }),
              AllOf(HasSubstr("writes 4 bytes"), testing::Not(HasSubstr("private copy"))));
  int local = 0;
  EXPECT_THAT(error_of([&] { spawn(inout(local), [] {}); }), HasSubstr("outside of a task on an island"));
}

// Not the memory that its parent works on a copy of.
TEST(ChildrenOfATask, NameTheirParentsPrivateCopy) {
  Master master(options_of(1, IslandMemory::coherent));
  auto* const sum = master.allocate<int>(1);
  master.spawn(reduce(*sum, std::plus<>(), 0), [sum](int&) { spawn(reduce(*sum, std::plus<>(), 0), [](int&) {}); });
  EXPECT_THAT(error_of([&] { master.wait(); }),
              AllOf(HasSubstr("writes 4 bytes"), HasSubstr("for concurrent and reduce that is its private copy")));
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
    auto* const sum = master.allocate<int>(1);
    master.spawn(inout(x, 64), inout(*sum), [in_child, reading = token.reading()](std::span<int> s, int& total) {
      s[0] = 5;
      for (std::size_t i = 0; i < 64; i += 16) {
        spawn(inout(s.data() + i, 16), reduce(total, std::plus<>(), 0),
              [in_child, reading](std::span<int> part, int& copy) {
                for (int& value : part) ++value;
                copy += part[1];
                if (in_child && take(reading)) ::raise(SIGKILL);
              });
      }
      if (!in_child && take(reading)) ::raise(SIGKILL);
    });
    master.wait();
    EXPECT_EQ(std::accumulate(x, x + 64, 0), 64 + 5);
    EXPECT_EQ(*sum, 4);
    EXPECT_GE(master.statistics().tasks_rerun, 1u);
    EXPECT_EQ(master.statistics().tasks_run, 5u);
  }
}

}  // namespace
}  // namespace weir::island
