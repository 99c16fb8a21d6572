// SPDX-License-Identifier: Apache-2.0

// Each write-back and each invalidate of master and workers is needed: without any one of them a program gets a wrong
// result. Those of letters: tests/unit/island/letter_test.cpp.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

#include "island/step.hpp"
#include "island/undo.hpp"
#include "processes.hpp"
#include "unit/island/child.hpp"

namespace weir::island {
namespace {

constexpr std::size_t kCount = 2048;  // bytes of what the programs below share

// Data goes from the program to one worker, to another, and back.
bool passes_data_on() {
  Master master(options_of(2, IslandMemory::checked, 0));
  auto* const x = master.allocate<int>(16);
  for (int round = 1; round <= 4; ++round) {
    x[1] = round;
    for (int i = 0; i < 6; ++i) master.spawn(inout(x, 16), [](std::span<int> s) { s[0] = 2 * s[0] + s[1]; });
    master.wait();
  }
  int expected = 0;
  for (int round = 1; round <= 4; ++round)
    for (int i = 0; i < 6; ++i) expected = 2 * expected + round;
  return x[0] == expected;
}

bool merges() {
  Master master(options_of(2, IslandMemory::checked, 0));
  auto* const x = master.allocate<int>(16);
  auto* const sum = master.allocate<int>(1);
  master.spawn(inout(x, 16), [](std::span<int> s) { std::iota(s.begin(), s.end(), 1); });
  for (std::size_t i = 0; i < 8; ++i)
    master.spawn(concurrent(x, 16), [i](std::span<int> s) { s[i] = 10 * s[i] + s[15]; });
  master.spawn(inout(x, 16), inout(*sum),
               [](std::span<int> s, int& to) { to = std::accumulate(s.begin(), s.end(), 5); });
  for (int i = 0; i < 8; ++i) master.spawn(reduce(*sum, std::plus<>(), 0), [i](int& copy) { copy += i; });
  master.spawn(inout(*sum), [](int& s) { ++s; });
  master.wait();
  return *sum == 5 + 10 * 36 + 8 * 16 + (136 - 36) + 28 + 1;
}

// A task's tasks, whose copies are merged into what it holds, and into a copy of its own.
bool merges_of_children() {
  Master master(options_of(2, IslandMemory::checked, 0));
  auto* const x = master.allocate<int>(16);
  auto* const sums = master.allocate<int>(32);  // two, of a line each
  for (int round = 0; round < 2; ++round) {
    master.spawn(inout(x, 16), inout(sums[0]), reduce(sums[16], std::plus<>(), 0),
                 [](std::span<int> s, int& held, int& copy) {
                   std::iota(s.begin(), s.end(), 1);
                   held += 5;
                   for (std::size_t i = 0; i < 8; ++i)
                     spawn(concurrent(s.data(), 16), [i](std::span<int> mine) { mine[i] = 10 * mine[i] + mine[15]; });
                   for (int i = 0; i < 8; ++i) {
                     spawn(reduce(held, std::plus<>(), 0), [i](int& part) { part += i; });
                     spawn(reduce(copy, std::plus<>(), 0), [i](int& part) { part -= i; });
                   }
                   spawn(inout(s.data(), 16), inout(held),
                         [](std::span<int> all, int& to) { to = std::accumulate(all.begin(), all.end(), to); });
                 });
  }
  master.wait();
  return sums[0] == 2 * (5 + 28 + 10 * 36 + 8 * 16 + (136 - 36)) && sums[16] == -2 * 28;
}

// Leaves a free piece at the start of the heap whose memory holds 7s, of which the master's cache knows nothing.
void leave_garbage(Master& master, char* target) {
  master.spawn(concurrent(target, kCount), [](std::span<char> s) {
    std::memset(s.data(), 7, s.size());
    throw std::runtime_error("garbage");
  });
  try {
    master.wait();
  } catch (const Error&) {
  }
}

bool allocates_zeros() {
  Master master(options_of(1, IslandMemory::checked, 0));
  auto* const target = master.allocate<char>(kCount);
  leave_garbage(master, target);
  auto* const again = master.allocate<char>(kCount);
  auto* const sum = master.allocate<int>(1);
  master.spawn(in(again, kCount), out(*sum),
               [](std::span<const char> s, int& to) { to = std::accumulate(s.begin(), s.end(), 0); });
  master.wait();
  return *sum == 0;
}

bool copies_after_garbage() {
  Master master(options_of(1, IslandMemory::checked, 0));
  auto* const target = master.allocate<char>(kCount);
  leave_garbage(master, target);
  master.spawn(concurrent(target, kCount), [](std::span<char>) {});
  master.wait();
  return std::accumulate(target, target + kCount, 0) == 0;
}

bool sends_long_letters() {
  Master master(options_of(2, IslandMemory::checked, 0));
  auto* const target = master.allocate<char>(kCount);
  auto* const sum = master.allocate<int>(1);
  leave_garbage(master, target);
  std::array<int, 400> many{};
  int expected = 0;
  for (int round = 0; round < 6; ++round) {
    master.spawn(inout(*sum), [many](int& s) { s += std::accumulate(many.begin(), many.end(), 1); });
    master.wait();
    expected += 1 + 400 * (round == 0 ? 0 : round);
    many.fill(round + 1);
  }
  return *sum == expected;
}

// A worker has died after its task had written back a part.
bool puts_back() {
  auto memory = SharedMemory::map({{kCount}}, IslandMemory::checked, 0);
  if (!memory) throw Error(memory.status().message);
  SharedMemory& shared = **memory;
  auto* const x = reinterpret_cast<int*>(shared.data());
  const auto child = [&](auto body) {
    Child process([&] {
      shared.enter_process(1);
      shared.invalidate(x, sizeof *x);
      return body() ? 0 : 1;
    });
    return process.wait() == 0;
  };
  const auto writes = [&](int value) {
    return child([&] {
      *x = value;
      shared.write_back(x, sizeof *x);
      return true;
    });
  };
  Undo undo;
  const std::array<Access, 1> named{inout(*x)};
  if (!writes(5)) return false;
  undo.save(shared, named);
  if (!writes(6)) return false;
  undo.restore(shared);
  return child([&] { return *x == 5; });
}

// Whose answers lie where another worker's lay before.
bool shares_tasks() {
  MasterOptions own;
  own.shares = true;
  Master master(options_of(2, IslandMemory::checked, 0), own);
  struct Ran {
    long pid;
    long padding[7];
  };
  auto* const ran = master.allocate<Ran>(64);
  std::map<long, std::uint64_t> by_process;
  for (int round = 0; round < 8; ++round) {
    for (std::size_t i = 0; i < 64; ++i) {
      master.spawn(inout(ran[i]), [i](Ran& r) {
        r.pid = ::getpid();
        if (i % 2 == 0) ::usleep(200);
      });
    }
    master.wait();
    for (std::size_t i = 0; i < 64; ++i) ++by_process[ran[i].pid];
  }
  std::multiset<std::uint64_t> seen, said;
  for (const auto& [pid, count] : by_process) seen.insert(count);
  for (const WorkerStatistics& worker : master.statistics().workers) said.insert(worker.tasks);
  said.erase(0);
  return seen == said;
}

struct Program {
  const char* name;
  bool (*right)();
};
constexpr Program kPrograms[] = {{"passes_data_on", passes_data_on},
                                 {"merges", merges},
                                 {"merges_of_children", merges_of_children},
                                 {"allocates_zeros", allocates_zeros},
                                 {"copies_after_garbage", copies_after_garbage},
                                 {"sends_long_letters", sends_long_letters},
                                 {"puts_back", puts_back},
                                 {"shares_tasks", shares_tasks}};

bool is_right(bool (*program)()) {
  try {
    return program();
  } catch (const Error&) {
    return false;
  }
}

bool all_right() {
  return std::ranges::all_of(kPrograms, [](const Program& program) { return is_right(program.right); });
}

TEST(Steps, WithAllOfThemEachProgramIsRight) {
  for (const Program& program : kPrograms) EXPECT_TRUE(program.right()) << program.name;
}

TEST(Steps, WithoutAnyOneOfThemSomeProgramIsWrong) {
  for (auto step = static_cast<int>(Step::none) + 1; step < static_cast<int>(Step::count); ++step) {
    left_out = static_cast<Step>(step);
    EXPECT_FALSE(all_right()) << "left out: step " << step;
  }
  left_out = Step::none;
}

// Those of tasks that a task has made, too: what their copies are filled from and merged into, others have just
// written.
TEST(Steps, OfPrivateCopiesAreNeededByChildren) {
  for (const Step step : {Step::target_before_copy, Step::copy_filled, Step::copy_before_merge,
                          Step::target_before_merge, Step::target_merged}) {
    left_out = step;
    EXPECT_FALSE(is_right(merges_of_children)) << "left out: step " << static_cast<int>(step);
  }
  left_out = Step::none;
}

}  // namespace
}  // namespace weir::island
