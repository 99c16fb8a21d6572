// SPDX-License-Identifier: Apache-2.0

// What the stress programs share: how long to run, and a watchdog that says what waits instead of hanging.
//
// usage: PROGRAM [SECONDS [SEED]]; WEIR_STRESS_SECONDS is the default, 2 without it.
#pragma once

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>
#include <thread>

#include "weir/weir.hpp"

namespace weir::stress {

class Stress {
 public:
  Stress(int argc, char** argv) : seed_(seed_from(argc, argv)), random(seed_) {
    const char* const text = argc > 1 ? argv[1] : std::getenv("WEIR_STRESS_SECONDS");
    const double seconds = text != nullptr ? number_in<double>(text) : 2;
    unsetenv("WEIR_STRESS_SECONDS");  // runtimes refuse a variable that they do not know
    end_ = Clock::now() + std::chrono::microseconds(static_cast<long>(seconds * 1e6));
    watchdog_ = std::thread([this] { watch(); });
  }
  ~Stress() {
    stop_ = true;
    watchdog_.join();
  }

  bool goes_on() const { return Clock::now() < end_; }
  // The watchdog ends the process when `what` stays the same for half a minute.
  void doing(const char* what, long detail = 0) {
    what_ = what;
    detail_ = detail;
    ++progress_;
  }
  // Until the time is up. How often.
  template <class F>
  long repeat(const char* what, F&& f) {
    long rounds = 0;
    while (goes_on()) {
      doing(what, ++rounds);
      f();
    }
    return rounds;
  }
  // Called with `subject` before it does so; null: nobody. `subject` lives until the next call.
  void watch_over(void* subject, void (*say_what_waits)(void*)) {
    say_what_waits_ = nullptr;
    subject_ = subject;
    say_what_waits_ = say_what_waits;
  }
  void check(bool right, const char* what) const {
    if (right) return;
    std::fprintf(stderr, "wrong: %s (seed %u, while %s %ld)\n", what, seed_, what_.load(), detail_.load());
    std::abort();
  }
  unsigned below(unsigned limit) { return static_cast<unsigned>(random() % limit); }

 private:
  unsigned seed_;  // before `random`, which is made from it

 public:
  std::mt19937 random;

 private:
  using Clock = std::chrono::steady_clock;

  template <class Number>
  static Number number_in(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number >= 0) return number;
    std::fprintf(stderr, "%.*s: a number was expected; usage: PROGRAM [SECONDS [SEED]]\n",
                 static_cast<int>(text.size()), text.data());
    std::exit(2);
  }
  static unsigned seed_from(int argc, char** argv) {
    const unsigned seed = argc > 2 ? number_in<unsigned>(argv[2]) : std::random_device{}();
    std::printf("seed %u\n", seed);
    return seed;
  }

  void watch() {
    long seen = -1;
    Clock::time_point since = Clock::now();
    while (!stop_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (progress_ != seen) {
        seen = progress_;
        since = Clock::now();
      } else if (Clock::now() - since > std::chrono::seconds(30)) {
        std::fprintf(stderr, "no progress for 30 s (seed %u): %s %ld\n", seed_, what_.load(), detail_.load());
        for (int look = 0; look < 2; ++look) {  // what differs a second later is not still, but in a circle
          if (const auto say = say_what_waits_.load()) say(subject_);
          if (look == 0) std::this_thread::sleep_for(std::chrono::seconds(1));
        }
        std::abort();
      }
    }
  }

  Clock::time_point end_;
  std::atomic<const char*> what_{"starting"};
  std::atomic<void (*)(void*)> say_what_waits_{nullptr};
  std::atomic<void*> subject_{nullptr};
  std::atomic<long> detail_{0}, progress_{0};
  std::atomic<bool> stop_{false};
  std::thread watchdog_;
};

inline Options with_workers(int workers) {
  Options options;
  options.workers = workers;
  return options;
}

inline constexpr int kWorkerCounts[] = {1, 2, 8, 64};

}  // namespace weir::stress
