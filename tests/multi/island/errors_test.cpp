// SPDX-License-Identifier: Apache-2.0

// What goes wrong on islands, and what is said of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

#include "processes.hpp"

namespace weir::island {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// ---- What the checker is for ----

TEST(CheckedMemory, WhatAFootprintDoesNotReadIsOld) {
  Master master(options_of(1, IslandMemory::checked, 0));
  auto* const x = master.allocate<int>(16);
  auto* const seen = master.allocate<int>(16);
  master.spawn(inout(x, 16), [](std::span<int> s) { s[0] = 1; });
  master.wait();
  x[0] = 2;
  master.spawn(inout(seen, 16), [x](std::span<int> s) { s[0] = *static_cast<volatile int*>(x); });  // x is not named
  master.spawn(in(x, 16), inout(seen, 16), [](std::span<const int> a, std::span<int> s) { s[1] = a[0]; });
  master.wait();
  EXPECT_EQ(seen[0], 1);
  EXPECT_EQ(seen[1], 2);
}

TEST(CheckedMemory, WhatAFootprintDoesNotWriteIsToldWithTaskAndLine) {
  Master master(options_of(2, IslandMemory::checked));
  auto* const x = master.allocate<int>(64);
  master.spawn(inout(x, 16), name("beside"), [x](std::span<int> s) { s[0] = x[40] = 1; });
  EXPECT_THAT(error_of([&] { master.wait(); }),
              AllOf(HasSubstr("task 'beside', spawned at "), HasSubstr("128 bytes into the islands' memory"),
                    HasSubstr("which its footprint does not declare")));
  EXPECT_EQ(x[40], 0);
  EXPECT_EQ(x[0], 1);
}

TEST(CheckedMemory, AnInItemThatIsWrittenIsTold) {
  Master master(options_of(2, IslandMemory::checked));
  auto* const x = master.allocate<int>(16);
  master.spawn(in(x, 16), [x](std::span<const int>) { x[3] = 1; });
  EXPECT_THAT(error_of([&] { master.wait(); }), HasSubstr("which its footprint does not declare"));
}

// ---- Failures of tasks ----

TEST(Islands, AnExceptionComesOutOfWaitWithItsTask) {
  Master master(options_of(2, IslandMemory::coherent));
  auto* const x = master.allocate<int>(1);
  master.spawn(inout(*x), name("thrower"), [](int&) { throw std::runtime_error("no convergence"); });
  for (int i = 0; i < 100; ++i) master.spawn(inout(*x), [](int& value) { ++value; });
  EXPECT_THAT(error_of([&] { master.wait(); }),
              AllOf(HasSubstr("task 'thrower', spawned at "), HasSubstr("threw: no convergence")));
  const Statistics all = master.statistics();
  EXPECT_EQ(all.tasks_run + all.tasks_cancelled, 101u);
  EXPECT_LE(all.tasks_run, 2u + 8u);  // those that a worker had been given
  *x = 0;
  master.spawn(inout(*x), [](int& value) { ++value; });
  master.wait();
  EXPECT_EQ(*x, 1);
}

TEST(Islands, AnExceptionOfAnyTypeIsTold) {
  Master master(options_of(1, IslandMemory::coherent));
  auto* const x = master.allocate<int>(1);
  master.spawn(inout(*x), [](int&) { throw 7; });
  EXPECT_THAT(error_of([&] { master.wait(); }), HasSubstr("an exception that is no std::exception"));
}

TEST(Islands, ALongTextOfAnExceptionIsCut) {
  Master master(options_of(1, IslandMemory::coherent));
  auto* const x = master.allocate<int>(1);
  master.spawn(inout(*x), [](int&) { throw std::runtime_error(std::string(5000, 'y')); });
  EXPECT_THAT(error_of([&] { master.wait(); }), HasSubstr("threw: yyyyyyyy"));
}

TEST(IslandsDeathTest, AFailureThatNobodyWaitedForIsSaid) {
  EXPECT_EXIT(
      {
        {
          Master master(options_of(1, IslandMemory::coherent));
          auto* const x = master.allocate<int>(1);
          master.spawn(inout(*x), [](int&) { throw std::runtime_error("lost"); });
        }
        std::exit(0);
      },
      testing::ExitedWithCode(0), "no wait\\(\\) took its exception: .*threw: lost");
}

// ---- Processes that die ----

TEST(Islands, AWorkerThatIsKilledIsToldWithWhatItRan) {
  Master master(options_of(2, IslandMemory::coherent));
  auto* const x = master.allocate<int>(1);
  master.spawn(inout(*x), name("suicide"), [](int&) { ::raise(SIGKILL); });
  const std::string said = error_of([&] { master.wait(); });
  EXPECT_THAT(said, AllOf(HasSubstr("worker "), HasSubstr("ended by signal 9"),
                          HasSubstr("task 'suicide', spawned at "), HasSubstr("1 task")));
  EXPECT_EQ(error_of([&] { master.wait(); }), said);
  EXPECT_EQ(error_of([&] { master.spawn(inout(*x), [](int&) {}); }), said);
}

TEST(Islands, ATaskThatExitsIsTold) {
  Master master(options_of(1, IslandMemory::coherent));
  auto* const x = master.allocate<int>(1);
  master.spawn(inout(*x), [](int&) { ::_exit(3); });
  EXPECT_THAT(error_of([&] { master.wait(); }), HasSubstr("ended with exit status 3"));
}

// Of an end that is not told to who asks: the kernel has thrown it away, or another part of the program has it.
TEST(Islands, AWorkerThatDiesIsNoticedWhereEndsOfChildrenAreIgnored) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  {
    Master master(options_of(2, IslandMemory::coherent));
    auto* const x = master.allocate<int>(1);
    master.spawn(inout(*x), name("suicide"), [](int&) { ::raise(SIGKILL); });
    EXPECT_THAT(error_of([&] { master.wait(); }),
                AllOf(HasSubstr("has ended, how is not known (this process ignores SIGCHLD"),
                      HasSubstr("task 'suicide', spawned at ")));
  }
  std::signal(SIGCHLD, before);
}

TEST(Islands, AWorkerThatDiesIsNoticedWhereTheProgramWaitsForAllOfItsChildren) {
  Master master(options_of(2, IslandMemory::coherent));
  auto* const x = master.allocate<int>(1);
  master.spawn(inout(*x), [](int&) { ::raise(SIGKILL); });
  ASSERT_GT(::waitpid(-1, nullptr, 0), 0);
  EXPECT_THAT(error_of([&] { master.wait(); }), HasSubstr("or waits for all of its children"));
}

TEST(Islands, AChildOfTheProgramHasNoPartInTheMaster) {
  auto master = std::make_unique<Master>(options_of(2, IslandMemory::coherent));
  auto* const x = master->allocate<int>(1);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string spawned = error_of([&] { master->spawn(inout(*x), [](int& value) { ++value; }); });
    const std::string waited = error_of([&] { master->wait(); });
    const bool refused = spawned.find("Master::spawn() in a child of the process") != std::string::npos &&
                         waited.find("make a Master in the child") != std::string::npos;
    master.reset();
    int seen = 0;
    {
      Master own(options_of(1, IslandMemory::coherent));
      auto* const y = own.allocate<int>(1);
      own.spawn(out(*y), [](int& value) { value = 5; });
      own.wait();
      seen = *y;
    }
    ::_exit(refused && seen == 5 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  master->spawn(inout(*x), [](int& value) { ++value; });
  master->wait();
  EXPECT_EQ(*x, 1);
}

// Nobody is left behind: the test stands in for init.
TEST(Islands, WorkersEndWithTheirMaster) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  int channel[2];
  ASSERT_EQ(::pipe(channel), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Master master(options_of(2, IslandMemory::coherent));
    auto* const pids = master.allocate<pid_t>(32);
    master.spawn(out(pids[0]), [](pid_t& pid) { pid = ::getpid(); });
    master.wait();
    if (::write(channel[1], pids, sizeof *pids) != sizeof *pids) ::_exit(1);
    ::pause();
  }
  pid_t worker = 0;
  ASSERT_EQ(::read(channel[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
  EXPECT_NE(worker, child);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  int ended = 0;
  while (::waitpid(-1, &status, 0) > 0) ++ended;  // hangs if one is left
  EXPECT_EQ(ended, 2);
  ::close(channel[0]);
  ::close(channel[1]);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

// ---- What is refused ----

TEST(Islands, WhatAFootprintMustNotNameIsRefused) {
  Master master(options_of(1, IslandMemory::coherent));
  int local = 0;
  EXPECT_THAT(error_of([&] { master.spawn(inout(local), [](int&) {}); }),
              AllOf(HasSubstr("4 bytes at 0x"), HasSubstr("not memory of Master::allocate()")));
  auto* const x = master.allocate<int>(16);
  auto* const end = reinterpret_cast<int*>(reinterpret_cast<char*>(master.allocate<char>(64)) + (16 << 20) - 128);
  EXPECT_THAT(error_of([&] { master.spawn(inout(end, 100), [](std::span<int>) {}); }),
              HasSubstr("not memory of Master::allocate()"));
  EXPECT_THAT(error_of([&] { master.spawn(out(end - 1000, 16), [](std::span<int>) {}); }),
              HasSubstr("it was not given out, or free() has taken it back"));
  auto* const gone = master.allocate<int>(16);
  master.free(gone);
  EXPECT_THAT(error_of([&] { master.spawn(in(gone, 16), [](std::span<const int>) {}); }),
              HasSubstr("it was not given out, or free() has taken it back"));
  EXPECT_THAT(error_of([&] { master.spawn(out(x + 8, 16), [](std::span<int>) {}); }),
              AllOf(HasSubstr("names 64 bytes"), HasSubstr("of which 32 are of what Master::allocate() has given")));
  auto* const odd = master.allocate<int>(100);
  const Watched<int> tiles(odd, 10, 10, 10, 2, 2);
  EXPECT_THAT(error_of([&] { master.spawn(inout(tiles.tile(0, 0, 2, 2)), [](View2D<int>) {}); }),
              AllOf(HasSubstr("rows of 40 bytes"), HasSubstr("whole lines of 64 bytes")));
  const Watched<int> off(x + 1, 8, 8);
  EXPECT_THAT(error_of([&] { master.spawn(inout(off.block(0)), [](View2D<int>) {}); }), HasSubstr("whole lines"));
  master.spawn(inout(*x), [](int& value) { value = 5; });  // it goes on
  master.wait();
  EXPECT_EQ(*x, 5);
}

TEST(Islands, TasksMakeNoTasks) {
  Master master(options_of(1, IslandMemory::coherent));
  auto* const x = master.allocate<int>(1);
  Master* const self = &master;
  master.spawn(inout(*x), [self](int& value) { self->spawn([&value] { ++value; }); });
  EXPECT_THAT(error_of([&] { master.wait(); }), HasSubstr("spawn() within a task"));
  master.spawn(inout(*x), [self](int&) { self->wait(); });
  EXPECT_THAT(error_of([&] { master.wait(); }), HasSubstr("wait() within a task"));
  master.spawn(inout(*x), [self](int&) { self->allocate<int>(1); });
  EXPECT_THAT(error_of([&] { master.wait(); }), HasSubstr("allocate() within a task"));
}

TEST(Islands, MemoryThatThereIsNotIsRefused) {
  Master master(options_of(1, IslandMemory::coherent));
  EXPECT_THAT(error_of([&] { master.allocate<char>(std::size_t{17} << 20); }),
              AllOf(HasSubstr("17825792 bytes"), HasSubstr("WEIR_ISLAND_HEAP")));
  EXPECT_THAT(error_of([&] { master.allocate<double>(~std::size_t{0} / 4); }),
              HasSubstr("more than there are addresses"));
  EXPECT_THAT(error_of([&] { master.allocate_parts<double>(~std::size_t{0} / 64, 8); }),
              HasSubstr("more than there are addresses"));
  EXPECT_THAT(error_of([&] { master.allocate_parts<double>(1000, 4000); }),
              AllOf(HasSubstr("32000000 bytes"), HasSubstr("WEIR_ISLAND_HEAP")));
  int local = 0;
  EXPECT_THAT(error_of([&] { master.free(&local); }), HasSubstr("nothing of Master::allocate() begins there"));
  auto* const x = master.allocate<int>(100);
  EXPECT_THAT(error_of([&] { master.free(x + 16); }), HasSubstr("nothing of Master::allocate() begins there"));
  master.free(x);
  EXPECT_THAT(error_of([&] { master.free(x); }), HasSubstr("nothing of Master::allocate() begins there"));
  master.free(nullptr);
}

TEST(Islands, WeirCheckIsForThreads) {
  ASSERT_EQ(::setenv("WEIR_CHECK", "nobody", 1), 0);
  EXPECT_THAT(error_of([] { Master master(options_of(1, IslandMemory::coherent)); }),
              HasSubstr("WEIR_ISLAND_MEMORY=checked"));
  ::unsetenv("WEIR_CHECK");
}

TEST(Islands, OptionsOutOfRangeAreRefused) {
  Options options = options_of(1, IslandMemory::coherent);
  options.island_heap = 0;
  EXPECT_THAT(error_of([&] { Master master(options); }), HasSubstr("island_heap"));
  options.island_heap = 1;
  options.island_segment = "/no/such/folder/file";
  EXPECT_THAT(error_of([&] { Master master(options); }),
              AllOf(HasSubstr("/no/such/folder/file"), HasSubstr("island_segment names the file")));
  options.island_nodes = "none";
  EXPECT_THAT(error_of([&] { Master master(options); }), HasSubstr("island_nodes=none"));
  options.workers = -1;
  EXPECT_THAT(error_of([&] { Master master(options); }), HasSubstr("workers"));
}

}  // namespace
}  // namespace weir::island
