// SPDX-License-Identifier: Apache-2.0

// How long each thread was in tasks, whatever the runtime: the tasks' functions are wrapped where it is asked for. The
// same in every runtime, and nothing but a branch where it is not asked for.
//
// A thread writes its own slot. reset() and shares() are for while no task runs.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "apps/bddt/tasking.hpp"

namespace weir::apps::bddt {

class TaskClock {
 public:
  static inline bool wanted = false;  // set before the first task

  static std::uint64_t now() {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  // Nanoseconds of the calling thread.
  static std::uint64_t& mine() {
    thread_local std::uint64_t& slot = next_slot();
    return slot;
  }
  static void reset() {
    for (std::size_t i = 0; i < taken(); ++i) slots_[i].ns = 0;
  }
  // Of the busiest threads, `workers` of them: the others, if any, made tasks and ran none.
  static std::vector<Share> shares(std::size_t workers) {
    std::vector<Share> all;
    for (std::size_t i = 0; i < taken(); ++i) all.push_back({static_cast<double>(slots_[i].ns) * 1e-9, 0});
    std::sort(all.begin(), all.end(), [](const Share& a, const Share& b) { return a.application > b.application; });
    all.resize(workers);
    return all;
  }

 private:
  struct alignas(128) Slot {
    std::uint64_t ns;
  };
  static constexpr std::size_t kMost = 2048;

  static std::size_t taken() { return next_.load(); }
  static std::uint64_t& next_slot() {
    const std::size_t index = next_.fetch_add(1);
    if (index >= kMost) throw std::runtime_error("more threads than their times have room for");
    return slots_[index].ns;
  }

  static inline std::array<Slot, kMost> slots_{};
  static inline std::atomic<std::size_t> next_{0};
};

// A task's function, with its time taken.
template <class F>
struct Clocked {
  F function;
  void operator()() const {
    if (!TaskClock::wanted) return function();
    const std::uint64_t start = TaskClock::now();
    function();
    TaskClock::mine() += TaskClock::now() - start;
  }
};

}  // namespace weir::apps::bddt
