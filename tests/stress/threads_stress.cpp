// SPDX-License-Identifier: Apache-2.0

// Guests that come and go, leave tasks behind and wait for each other's; runtimes that are made and destroyed at once.
// docs/protocols/parking.md, docs/protocols/scope.md
#include <functional>
#include <vector>

#include "stress.hpp"

namespace {

using weir::stress::Stress;

void guest(weir::Runtime& runtime, std::atomic<long>& ran, unsigned what) {
  int x = 0;
  switch (what % 4) {
    case 0:
      for (int i = 0; i < 30; ++i) runtime.spawn(weir::inout(x), [&] { ++x, ++ran; });
      runtime.wait();
      break;
    case 1:
      for (int i = 0; i < 30; ++i) runtime.spawn([&ran] { ++ran; });  // left behind
      break;
    case 2: {
      auto handle = runtime.spawn([&ran] {
        for (int i = 0; i < 29; ++i) weir::spawn([&ran] { ++ran; });
        ++ran;
      });
      runtime.wait(handle);
      break;
    }
    default: {
      runtime.wait();
      weir::parallel_for(0, 30, 1, [&](int begin, int end) { ran += end - begin; });
    }
  }
}

void guests(Stress& stress, int workers) {
  std::atomic<long> ran{0};
  long expected = 0;
  {
    weir::Runtime runtime(weir::stress::with_workers(workers));
    for (int wave = 0; wave < 5; ++wave) {
      std::vector<std::thread> threads;
      stress.doing("guests, workers:", workers);
      for (unsigned t = 0; t < 6; ++t) {
        const auto what = static_cast<unsigned>(stress.random());
        threads.emplace_back([&, what] { guest(runtime, ran, what); });
        expected += 30;
      }
      runtime.spawn([&] { ++ran; });
      ++expected;
      if (wave % 2 == 0) runtime.wait();
      for (auto& thread : threads) thread.join();
    }
    stress.doing("stopping with what guests left, workers:", workers);
  }
  stress.check(ran == expected, "tasks of guests");
}

void many_runtimes(Stress& stress) {
  std::vector<std::thread> threads;
  std::atomic<long> ran{0};
  stress.doing("several runtimes at once");
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&ran, t] {
      for (int i = 0; i < 10; ++i) {
        weir::Runtime runtime(weir::stress::with_workers(1 + (t + i) % 3));
        for (int k = 0; k < 20; ++k) {
          runtime.spawn([&ran, k] {
            if (k == 7) {
              weir::Runtime inner(weir::stress::with_workers(2));
              inner.spawn([&ran] { ++ran; });
            }
            weir::spawn([&ran] { ++ran; });
          });
        }
        if (i % 2 == 0) runtime.wait();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  stress.check(ran == 3 * 10 * 21, "tasks of several runtimes");
}

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  for (int round = 0; stress.goes_on(); ++round) {
    guests(stress, weir::stress::kWorkerCounts[round % 4]);
    many_runtimes(stress);
  }
}
