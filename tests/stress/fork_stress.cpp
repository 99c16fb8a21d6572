// SPDX-License-Identifier: Apache-2.0

// fork_join(): random trees with exceptions, waits and spawned tasks inside. docs/protocols/fork.md
// Loops with a LoopAffinity, of which some end by an exception: every piece once. docs/protocols/loops.md
// And crowds of tiny tasks, of which thieves have a hand full: some fork, wait or spawn. docs/protocols/steal.md
#include <array>
#include <stdexcept>

#include "stress.hpp"

namespace {

using weir::stress::Stress;

struct Result {
  long leaves = 0;
  long thrown = 0;
};

void tree(unsigned seed, int depth, std::atomic<long>& leaves, bool may_throw) {
  const unsigned next = seed * 1664525u + 1013904223u;
  if (depth == 0 || (next >> 28) == 0) {
    ++leaves;
    if (may_throw && (next >> 16) % 41 == 0) throw std::runtime_error("leaf");
    if ((next >> 16) % 37 == 1) std::this_thread::yield();
    return;
  }
  auto left = [&] { tree(next, depth - 1, leaves, may_throw); };
  auto right = [&] { tree(next ^ 0x5bd1e995u, depth - 1, leaves, may_throw); };
  switch ((next >> 20) % 8) {
    case 0: {
      weir::fork_join(
          [&] {
            weir::spawn([&leaves] { ++leaves; });
            left();
          },
          right);
      break;
    }
    case 1:
      weir::fork_join(
          [&] {
            auto handle = weir::spawn([&leaves] { ++leaves; });
            weir::wait(handle);
            left();
          },
          right);
      break;
    default: weir::fork_join(left, right);
  }
}

constexpr int kCrowd = 61 * 200;  // more than a deque has room for

// Spins until another task runs, unless all have: also what is in this thread's hand.
void meet(std::atomic<long>& met) {
  const long before = ++met;
  while (met == before && met < kCrowd) std::this_thread::yield();
}

void one_of_crowd(int i, std::atomic<long>& ran, std::atomic<long>& met, bool alone) {
  ++ran;
  if (i % 997 == 996 && !alone) return meet(met);
  ++met;
  switch (i % 61) {
    case 0: weir::fork_join([&] { ++ran; }, [&] { ++ran; }); break;
    case 20:
      weir::spawn([&] { ++ran; });
      weir::wait();
      break;
    case 40: {
      auto handle = weir::spawn([&] { ++ran; });
      weir::fork_join([&] { weir::wait(handle); }, [&] { ++ran; });
      break;
    }
    default: break;
  }
}
void crowd(weir::Runtime& runtime, Stress& stress, bool alone) {
  std::atomic<long> ran{0}, met{0};
  runtime.spawn([&, alone] {
    for (int i = 0; i < kCrowd; ++i) weir::spawn([i, &ran, &met, alone] { one_of_crowd(i, ran, met, alone); });
  });
  runtime.wait();
  long more = 0;
  for (int i = 0; i < kCrowd; ++i) {
    if (i % 997 == 996 && !alone) continue;
    more += i % 61 == 0 || i % 61 == 40 ? 2 : i % 61 == 20 ? 1 : 0;
  }
  stress.check(ran == kCrowd + more, "tasks of a crowd");
}

// Each index of the loops that throw nothing is run once, and of the others at most once.
void loops(Stress& stress) {
  weir::LoopAffinity affinity;
  std::array<std::atomic<int>, 500> runs{};
  for (int k = 0; k < 100; ++k) {
    const auto length = static_cast<int>(1 + stress.below(500)), thrower = static_cast<int>(stress.below(1000));
    for (auto& each : runs) each = 0;
    bool thrown = false;
    try {
      weir::parallel_for(0, length, 1, affinity, [&](int begin, int) {
        ++runs[static_cast<std::size_t>(begin)];
        if (begin == thrower) throw std::runtime_error("piece");
        if (begin % 37 == 1) std::this_thread::yield();
      });
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    stress.check(thrown == (thrower < length), "an exception of a loop");
    for (int i = 0; i < length; ++i) {
      const int count = runs[static_cast<std::size_t>(i)];
      stress.check(thrown ? count <= 1 : count == 1, "an index of a loop");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  for (int round = 0; stress.goes_on(); ++round) {
    const int workers = weir::stress::kWorkerCounts[round % 4];
    weir::Options options = weir::stress::with_workers(workers);
    if (round % 3 != 0) options.throttle = 0;  // for crowds: deques overflow
    weir::Runtime runtime(options);
    for (int k = 0; k < 20; ++k) {
      const unsigned seed = static_cast<unsigned>(stress.random());
      stress.doing("a tree of forks, workers:", workers);
      std::atomic<long> once{0}, again{0}, many{0};
      tree(seed, 9, once, false);
      runtime.wait();
      runtime.spawn([&] { tree(seed, 9, again, false); });
      runtime.wait();
      stress.check(once == again, "leaves of the same tree");
      for (int i = 0; i < 4; ++i) {
        runtime.spawn([&, i] {
          try {
            tree(seed + static_cast<unsigned>(i), 9, many, true);
            weir::wait();
          } catch (const std::runtime_error&) {
          }
        });
      }
      runtime.wait();
    }
    stress.doing("loops with an affinity, workers:", workers);
    loops(stress);
    stress.doing("a crowd of tiny tasks, workers:", workers);
    crowd(runtime, stress, workers == 1);
  }
}
