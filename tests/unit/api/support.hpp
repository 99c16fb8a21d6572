// SPDX-License-Identifier: Apache-2.0

// What the tests of the public API share: runtimes of a given size, and waiting without sleeping.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "base/sanitizers.hpp"
#include "weir/weir.hpp"

namespace weir::test {

// Not from the environment: the tests mean what they say.
inline Options with_workers(int workers) {
  Options options;
  options.workers = workers;
  return options;
}

inline Options on_machine(const char* description, int workers, Policy policy = Policy::near) {
  Options options = with_workers(workers);
  options.machine = description;
  options.policy = policy;
  return options;
}

// Each test of a suite derived from this runs on runtimes of 1, 2 and 8 workers.
class ForWorkers : public ::testing::TestWithParam<int> {
 protected:
  int workers() const { return GetParam(); }
  Options options() const { return with_workers(GetParam()); }
};

inline std::string workers_name(const ::testing::TestParamInfo<int>& info) {
  return "Workers" + std::to_string(info.param);
}

#define WEIR_FOR_WORKERS(Suite)                                                                                        \
  INSTANTIATE_TEST_SUITE_P(, Suite, ::testing::Values(1, 2, 8), ::weir::test::workers_name)

template <class Predicate>
void spin_until(const Predicate& predicate) {
  while (!predicate()) std::this_thread::yield();
}
inline void spin_until(const std::atomic<bool>& flag) {
  spin_until([&] { return flag.load(); });
}

// Counts its living copies, so that a test sees what is leaked or destroyed twice.
struct Counted {
  static inline std::atomic<int> alive{0};
  Counted() noexcept { ++alive; }
  Counted(const Counted&) noexcept { ++alive; }
  Counted(Counted&&) noexcept { ++alive; }
  Counted& operator=(const Counted&) = default;
  Counted& operator=(Counted&&) = default;
  ~Counted() { --alive; }
};

}  // namespace weir::test
