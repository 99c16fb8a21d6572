// SPDX-License-Identifier: Apache-2.0

// Parking: one task at a time, with pauses in which everybody falls asleep, so that each wake-up matters.
// docs/protocols/parking.md
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "platform/affinity.hpp"
#include "stress.hpp"
#include "weir/completion.hpp"

namespace {

using weir::stress::Stress;

void pause_for(unsigned us) {
  if (us != 0) std::this_thread::sleep_for(std::chrono::microseconds(us));
}

// The spawning thread does not help: somebody has to be woken.
void from_outside(weir::Runtime& runtime, Stress& stress, int domains) {
  std::atomic<int> ran{0};
  for (int i = 0; i < 60; ++i) {
    stress.doing("spawning without helping", i);
    pause_for(stress.below(4) == 0 ? stress.below(3000) : stress.below(120));
    const int tasks = 1 + static_cast<int>(stress.below(3));
    for (int t = 0; t < tasks; ++t) {
      runtime.spawn(weir::on_domain(static_cast<int>(stress.below(static_cast<unsigned>(domains)))), [&] { ++ran; });
    }
    if (runtime.worker_count() >= 2 * domains) {
      stress.doing("waiting for a sleeper to wake", i);
      while (ran < tasks) std::this_thread::yield();
    }
    runtime.wait();
    ran = 0;
  }
}

// Sleepers hand one task around: each makes the next and goes back to sleep.
void relay(weir::Runtime& runtime, Stress& stress) {
  int ball = 0;
  for (int i = 0; i < 40; ++i) {
    stress.doing("a relay", i);
    const unsigned us = stress.below(150);
    for (int k = 0; k < 5; ++k) {
      runtime.spawn(weir::inout(ball), [&ball, us] {
        pause_for(us);
        ++ball;
      });
    }
    if (i % 3 == 0) runtime.wait();
  }
  runtime.wait();
  stress.check(ball == 200, "a relay's count");
}

// Waiters of each kind that sleep until another worker ends what they wait for.
void waiters(weir::Runtime& runtime, Stress& stress) {
  for (int i = 0; i < 40; ++i) {
    const unsigned us = stress.below(200);
    stress.doing("waiting for a handle", i);
    auto handle = runtime.spawn([us] {
      weir::spawn([us] { pause_for(us); });
      pause_for(us / 2);
    });
    runtime.wait(handle);
    stress.doing("waiting for the half of a fork", i);
    weir::fork_join([us] { pause_for(us); }, [us] { pause_for(2 * us); });
    stress.doing("waiting for children", i);
    for (int k = 0; k < 3; ++k) runtime.spawn([us] { pause_for(us); });
    runtime.wait();
  }
}

// A parent whose last child ends elsewhere, and a successor that nobody else knows of.
void parents(weir::Runtime& runtime, Stress& stress) {
  for (int i = 0; i < 40; ++i) {
    stress.doing("the successor of a parent", i);
    int x = 0;
    const unsigned us = stress.below(100);
    runtime.spawn(weir::inout(x), [&x, us] {
      for (int k = 0; k < 3; ++k) weir::spawn([us] { pause_for(us); });
      x = 1;
    });
    runtime.spawn(weir::inout(x), [&x] { ++x; });
    runtime.wait();
    stress.check(x == 2, "the successor of a parent");
  }
}

// The thread that waits has much of its stack in use, and is the one that is woken, or the only one there is.
[[gnu::noinline]] void deep_in_the_stack(weir::Runtime& runtime, Stress& stress) {
  std::array<volatile char, std::size_t{3} << 20> used;
  used[0] = 1;
  for (int i = 0; i < 40; ++i) {
    stress.doing("waiting deep in the stack", i);
    std::optional<weir::Completion> end_of_wait;
    std::atomic<bool> begun{false};
    runtime.spawn([&] {
      end_of_wait.emplace(weir::end_later());
      begun = true;
    });
    std::thread other([&, us = stress.below(150)] {
      while (!begun) std::this_thread::yield();
      pause_for(us);
      runtime.spawn([&] { end_of_wait->complete(); });
    });
    runtime.wait();
    other.join();
  }
  used[used.size() - 1] = used[0];
}

void throttled(Stress& stress, int workers) {
  weir::Options options = weir::stress::with_workers(workers);
  options.throttle = 1 + static_cast<int>(stress.below(40));
  options.park_after = static_cast<int>(stress.below(20));
  weir::Runtime runtime(options);
  std::atomic<int> ran{0};
  for (int i = 0; i < 300; ++i) {
    stress.doing("a throttled spawn", i);
    const unsigned us = i % 16 == 0 ? 100 : 0;
    runtime.spawn([&ran, us] {
      pause_for(us);
      ++ran;
    });
  }
  runtime.wait();
  stress.check(ran == 300, "tasks of a throttled thread");
}

// Other programs' threads on all cores: workers that are bound to theirs lack them again and again, are let go by
// others that sleep, and come back.
void without_cores(Stress& stress) {
  const std::vector<int> cpus = weir::platform::this_thread_cpus();
  if (cpus.size() < 2) return;
  std::atomic<bool> over{false};
  std::vector<std::thread> others;
  for (std::size_t i = 0; i < 2 * std::min<std::size_t>(cpus.size(), 4); ++i) {
    others.emplace_back([&over, cpu = cpus[i / 2]] {
      static_cast<void>(weir::platform::bind_this_thread_to(cpu));
      while (!over.load(std::memory_order_relaxed)) {
      }
    });
  }
  {
    weir::Runtime runtime(weir::stress::with_workers(static_cast<int>(std::min<std::size_t>(cpus.size(), 4))));
    std::atomic<int> ran{0};
    for (int i = 0; i < 30; ++i) {
      stress.doing("working while others have the cores", i);
      for (int k = 0; k < 3; ++k) {
        runtime.spawn([&ran, ms = stress.below(9)] {
          const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
          while (std::chrono::steady_clock::now() < until) {
          }
          ++ran;
        });
      }
      pause_for(stress.below(2000));
      runtime.wait();
    }
    stress.check(ran == 90, "tasks while others have the cores");
  }
  over = true;
  for (std::thread& other : others) other.join();
}

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  constexpr weir::Policy kPolicies[] = {weir::Policy::near, weir::Policy::numa, weir::Policy::flat};
  for (int round = 0; stress.goes_on(); ++round) {
    weir::Options options = weir::stress::with_workers(weir::stress::kWorkerCounts[round % 4]);
    options.park_after = static_cast<int>(stress.below(60));
    options.policy = kPolicies[stress.below(3)];
    if (stress.below(2) == 0) options.machine = "pack:2 [numa(memory=1GB)] core:4 pu:1";
    if (round == 0) {  // more workers than cores, none of which looks twice, and a far domain: hung once
      options.workers = 8;
      options.park_after = 0;
      options.policy = weir::Policy::near;
      options.machine = "pack:2 [numa(memory=1GB)] core:4 pu:1";
    }
    {
      weir::Runtime runtime(options);
      from_outside(runtime, stress, runtime.domain_count());
      relay(runtime, stress);
      waiters(runtime, stress);
      parents(runtime, stress);
      deep_in_the_stack(runtime, stress);
      stress.doing("stopping a runtime, workers:", options.workers);
    }
    throttled(stress, options.workers);
    if (round % 4 == 1) without_cores(stress);
  }
}
