// SPDX-License-Identifier: Apache-2.0

// No runtime: a task is a call.
#pragma once

#include <stdexcept>
#include <string>

#include "apps/bddt/block_array.hpp"
#include "apps/bddt/task_clock.hpp"

namespace weir::apps::bddt {

class SerialTasks {
 public:
  explicit SerialTasks(int workers) {
    if (workers != 1) throw std::runtime_error("serial has one worker");
  }
  static std::string about() { return "plain calls in the order of the program"; }

  template <class T>
  BlockArray<T> array(std::size_t rows, std::size_t cols, std::size_t block_rows, std::size_t block_cols) {
    return {rows, cols, block_rows, block_cols};
  }
  template <class F, class... Items>
  void task(const char* /*name*/, F function, const Items&... /*items*/) {
    Clocked<F>{function}();
  }
  template <class Body>
  void run(Body&& body) {
    body();
  }
  void begin_shares() { TaskClock::reset(); }
  static double analysis(double /*seconds*/, double making) { return making; }
  std::vector<Share> shares() const { return TaskClock::shares(1); }
};

}  // namespace weir::apps::bddt
