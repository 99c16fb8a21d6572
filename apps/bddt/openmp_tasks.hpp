// SPDX-License-Identifier: Apache-2.0

// OpenMP: a task with a depend clause of the blocks that its sections cover. Compiled by g++ for libgomp and by clang++
// for libomp. One thread of the team makes the tasks; the others run them, and it does at the end.
#pragma once

#include <omp.h>

#include <stdexcept>
#include <string>

#include "apps/bddt/block_array.hpp"
#include "apps/bddt/task_clock.hpp"

namespace weir::apps::bddt {

class OpenmpTasks {
 public:
  explicit OpenmpTasks(int workers) : workers_(workers) {
    omp_set_dynamic(0);
    omp_set_num_threads(workers);
  }
  static std::string about() {
#if defined(__clang__)
    return "libomp, clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__) + ", task depend";
#else
    return "libgomp, g++ " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) + ", task depend";
#endif
  }

  template <class T>
  BlockArray<T> array(std::size_t rows, std::size_t cols, std::size_t block_rows, std::size_t block_cols) {
    return {rows, cols, block_rows, block_cols};
  }
  template <class F, class... Items>
  void task(const char* /*name*/, F function, const Items&... items) {
    keys_.clear();
    (add<Use::in>(items), ...);
    const int reads = static_cast<int>(keys_.size());
    (add<Use::out>(items), ...);
    make(Clocked<F>{function}, reads, static_cast<int>(keys_.size()) - reads);
  }
  template <class Body>
  void run(Body&& body) {
    int team = 0;
#pragma omp parallel num_threads(workers_)
#pragma omp single
    {
      team = omp_get_num_threads();
      if (team == workers_) body();
    }
    if (team != workers_) throw std::runtime_error("OpenMP gave a team of " + std::to_string(team));
  }
  void begin_shares() { TaskClock::reset(); }
  static double analysis(double /*seconds*/, double making) { return making; }
  std::vector<Share> shares() const { return TaskClock::shares(static_cast<std::size_t>(workers_)); }

 private:
  // Reads first, then what is written: to a depend clause `out` and `inout` are the same.
  template <Use kWanted, Use kUse>
  void add(const Item<kUse, BlockSection>& item) {
    if ((kUse == Use::in) != (kWanted == Use::in)) return;
    item.section.for_each([&](std::size_t block) { keys_.push_back(item.section.blocks->address(block)); });
  }

  // A depend clause has a fixed number of items, hence a case for each number; many are named by an iterator, which
  // takes the runtime memory at every task.
  template <class F>
  void make(F function, int reads, int writes) {
    [[maybe_unused]] std::byte* const* i = keys_.data();
    [[maybe_unused]] std::byte* const* o = i + reads;
    if (writes == 2 && reads == 0) {
#pragma omp task firstprivate(function) depend(out : *o[0], *o[1])
      function();
      return;
    }
    if (writes != 1 || reads > 5) return make_of_many(function, reads, writes);
    switch (reads) {
      case 0:
#pragma omp task firstprivate(function) depend(out : *o[0])
        function();
        break;
      case 1:
#pragma omp task firstprivate(function) depend(out : *o[0]) depend(in : *i[0])
        function();
        break;
      case 2:
#pragma omp task firstprivate(function) depend(out : *o[0]) depend(in : *i[0], *i[1])
        function();
        break;
      case 3:
#pragma omp task firstprivate(function) depend(out : *o[0]) depend(in : *i[0], *i[1], *i[2])
        function();
        break;
      case 4:
#pragma omp task firstprivate(function) depend(out : *o[0]) depend(in : *i[0], *i[1], *i[2], *i[3])
        function();
        break;
      case 5:
#pragma omp task firstprivate(function) depend(out : *o[0]) depend(in : *i[0], *i[1], *i[2], *i[3], *i[4])
        function();
        break;
    }
  }
  template <class F>
  void make_of_many(F function, int reads, int writes) {
    [[maybe_unused]] std::byte* const* i = keys_.data();
    [[maybe_unused]] std::byte* const* o = i + reads;
#pragma omp task firstprivate(function) depend(iterator(int k = 0                                                      \
                                                        : reads),                                                      \
                                               in                                                                      \
                                               : *i[k]) depend(iterator(int k = 0                                      \
                                                                        : writes),                                     \
                                                               out                                                     \
                                                               : *o[k])
    function();
  }

  int workers_;
  std::vector<std::byte*> keys_;  // of the task that is made
};

}  // namespace weir::apps::bddt
