// SPDX-License-Identifier: Apache-2.0

// spawn() that finds no memory, wherever it asks for some: it throws, the task does not run, and the runtime goes on.
#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>
#include <thread>
#include <vector>

#include "support.hpp"

namespace {

// Of the calling thread: how many allocations succeed before one that does not; below 0: all do.
thread_local int allocations_left = -1;
thread_local bool one_has_failed = false;

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (allocations_left >= 0 && allocations_left-- == 0) {
    one_has_failed = true;
    throw std::bad_alloc();
  }
  void* memory = nullptr;
  if (::posix_memalign(&memory, alignment, bytes != 0 ? bytes : 1) != 0) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace weir {
namespace {

using test::Counted;

class NoMemory : public test::ForWorkers {
 protected:
  Options quiet() const {
    Options options = this->options();
    options.explain = Explain::off;
    return options;
  }
};
WEIR_FOR_WORKERS(NoMemory);

// Whether spawn() failed.
bool fails(int allocations, const std::function<void()>& spawn) {
  allocations_left = allocations;
  try {
    spawn();
  } catch (const std::bad_alloc&) {
    return true;
  }
  allocations_left = -1;
  return false;
}

// x: what it changes; ran: that it counts in.
using Spawn = std::function<void(Runtime& runtime, double& x, int& ran)>;

const std::vector<Spawn>& ways() {
  static const std::vector<Spawn> all{
      [](Runtime& runtime, double& x, int& ran) { runtime.spawn(inout(x), [&ran, c = Counted()] { ++ran; }); },
      [](Runtime& runtime, double& x, int& ran) { runtime.spawn(commutative(x), [&ran, c = Counted()] { ++ran; }); },
      [](Runtime& runtime, double& x, int& ran) {
        runtime.spawn(reduce(x, std::plus<>(), 0.0), [&ran, c = Counted()](double& copy) { copy += ++ran; });
      },
      [](Runtime& runtime, double& x, int& ran) {
        runtime.spawn(reduce_ordered(x, std::plus<>(), 0.0), inout(ran), [c = Counted()](double& copy, int& n) {
          copy += 1;
          ++n;
        });
      },
      [](Runtime& runtime, double& x, int& ran) {
        runtime.spawn(name("named"), Priority::urgent, inout(x), [&ran, c = Counted()] { ++ran; });
      },
  };
  return all;
}

TEST_P(NoMemory, ATaskWhoseSpawningFailedDoesNotRun) {
  for (const Spawn& spawn : ways()) {
    bool failed = true;
    for (int allocations = 0; failed; ++allocations) {
      ASSERT_LT(allocations, 100);
      Runtime runtime(quiet());
      runtime.spawn([] {});
      runtime.wait();
      double x = 0;
      int ran = 0;
      failed = fails(allocations, [&] { spawn(runtime, x, ran); });
      runtime.wait();
      EXPECT_EQ(ran, failed ? 0 : 1) << allocations;
      EXPECT_TRUE(!failed || x == 0) << allocations;
      EXPECT_EQ(Counted::alive, 0) << allocations;
      spawn(runtime, x, ran);
      runtime.wait();
      EXPECT_EQ(ran, failed ? 1 : 2) << allocations;
    }
  }
}

// One that writes before it, one that reads behind it.
TEST_P(NoMemory, OthersKeepTheirOrder) {
  for (const Spawn& spawn : ways()) {
    bool failed = true;
    for (int allocations = 0; failed; ++allocations) {
      ASSERT_LT(allocations, 100);
      Runtime runtime(quiet());
      double x = 0, seen = 0;
      int ran = 0;
      int rest[40] = {};
      std::vector<Handle<>> handles;  // more than there is room for to begin with
      for (int& each : rest) handles.push_back(runtime.spawn(inout(each), [&each] { each = 1; }));
      runtime.spawn(after(handles), inout(x), [](double& value) { value = 1000; });
      failed = fails(allocations, [&] { spawn(runtime, x, ran); });
      runtime.spawn(in(x), out(seen), [](const double& value, double& to) { to = value; });
      runtime.wait();
      EXPECT_GE(seen, 1000) << allocations;
      EXPECT_EQ(ran, failed ? 0 : 1) << allocations;
    }
  }
}

// Of a task with blocks, where blocks are moved: for the task, for what it has besides, for its request, and for more
// blocks than a request has room for.
TEST_P(NoMemory, ATaskWithBlocksWhoseSpawningFailedDoesNotRun) {
  constexpr std::size_t kLarge = 700 << 10;  // two of them do not fit
  for (int allocations = 0; allocations < 4; ++allocations) {
    Options options = quiet();
    options.tiers = "memory=1MiB,emulated=8MiB@1";
    Runtime runtime(options);
    Block<char> a(runtime, kLarge, "a"), b(runtime, kLarge, "b");
    Block<char> c(runtime, 64, "c"), d(runtime, 64, "d"), e(runtime, 64, "e"), f(runtime, 64, "f");
    for (Block<char>* const each : {&a, &b, &c, &d, &e, &f})
      runtime.spawn(out(*each), [](std::span<char> values) { values[0] = 1; });
    runtime.wait();
    int ran = 0;
    const auto spawn = [&] {
      runtime.spawn(inout(a), in(c), in(d), in(e), in(f),
                    [&ran, counted = Counted()](std::span<char> values, auto, auto, auto, auto) { ran += values[0]; });
    };
    EXPECT_TRUE(fails(allocations, spawn)) << allocations;
    runtime.wait();
    EXPECT_EQ(ran, 0) << allocations;
    EXPECT_EQ(Counted::alive, 0) << allocations;
    spawn();
    runtime.wait();
    EXPECT_EQ(ran, 1) << allocations;
  }
}

// Of a task with so many predecessors some edges need memory of their own: they are waited for.
TEST_P(NoMemory, ATaskAfterManyOthersComesAfterThemAll) {
  bool failed = true;
  for (int allocations = 0; failed; ++allocations) {
    ASSERT_LT(allocations, 100);
    Runtime runtime(quiet());
    constexpr int kTasks = 200;
    std::atomic<int> before{0};
    std::vector<Handle<>> handles;
    for (int i = 0; i < kTasks; ++i) handles.push_back(runtime.spawn([&before] { ++before; }));
    int seen = kTasks, ran = 0;
    failed = fails(allocations, [&] {
      runtime.spawn(after(handles), [&] {
        seen = before;
        ++ran;
      });
    });
    runtime.wait();
    EXPECT_EQ(seen, kTasks) << allocations;
    EXPECT_EQ(ran, failed ? 0 : 1) << allocations;
  }
}

// Whether there was an allocation that failed: what is tried may do without, or say what there was no memory for.
bool is_short(int allocations, const std::function<void()>& call) {
  allocations_left = allocations;
  one_has_failed = false;
  try {
    call();
  } catch (const std::exception&) {
  }
  allocations_left = -1;
  return one_has_failed;
}

// With one allocation more each time, until none fails; `check`: what is looked at after each time.
void fail_until_it_works(const std::function<void()>& call, const std::function<void()>& check) {
  bool failed = true;
  for (int allocations = 0; failed; ++allocations) {
    ASSERT_LT(allocations, 1000);
    failed = is_short(allocations, call);
    check();
  }
}

// And destroys it, when there is memory again.
void make_runtime(const Options& options) {
  const Runtime runtime(options);
  allocations_left = -1;
}

void expect_no_runtime_here() {
  EXPECT_THROW(weir::spawn([] {}), Error);
}

TEST_P(NoMemory, ARuntimeThatCannotBeMadeLeavesItsThreadWithoutOne) {
  for (const Options& made : {options(), quiet()}) {
    fail_until_it_works([&] { make_runtime(made); }, &expect_no_runtime_here);
    Runtime runtime(made);
    int ran = 0;
    weir::spawn([&] { ++ran; });
    weir::wait();
    EXPECT_EQ(ran, 1);
  }
}

TEST_P(NoMemory, ARuntimeThatCannotBeMadeLeavesTheOneBefore) {
  Runtime before(quiet());
  int ran = 0, tries = 0;
  fail_until_it_works([&] { make_runtime(quiet()); },
                      [&] {
                        weir::spawn([&] { ++ran; });
                        before.wait();
                        ++tries;
                      });
  EXPECT_EQ(ran, tries);
  EXPECT_GT(tries, 10);
}

TEST_P(NoMemory, AThreadWhoseFirstSpawnFailedSpawnsTheNextTime) {
  bool failed = true;
  for (int allocations = 0; failed; ++allocations) {
    ASSERT_LT(allocations, 100);
    Runtime runtime(quiet());
    int ran = 0;
    std::thread([&] {
      bool spawned = false;
      const auto spawn = [&] {
        runtime.spawn(inout(ran), [](int& n) { ++n; });
        spawned = true;
      };
      failed = is_short(allocations, spawn);
      if (!spawned) spawn();
      runtime.wait();
    }).join();
    EXPECT_EQ(ran, 1) << allocations;
  }
}

TEST(NoMemoryForABlock, LeavesTheProgramsMemoryToTheNext) {
  Options options = test::with_workers(2);
  options.explain = Explain::off;
  std::vector<double> own(64 * 32);
  const auto adopt_tiles = [&](Runtime& runtime) {
    return Array<double, 2>::adopt(runtime, own.data(), {64, 32}, {32, 1}, {32, 16}, "a name that is not a short one");
  };
  bool failed = true;
  for (int allocations = 0; failed; ++allocations) {
    ASSERT_LT(allocations, 1000);
    Runtime runtime(options);
    const Block<double> first(runtime, 1, "first");  // for which the tiers are opened
    failed = is_short(allocations, [&] { adopt_tiles(runtime); });
    EXPECT_NO_THROW(Block<double>::adopt(runtime, own.data(), own.size(), "all")) << allocations;
    EXPECT_NO_THROW(adopt_tiles(runtime)) << allocations;
  }
}

}  // namespace
}  // namespace weir
