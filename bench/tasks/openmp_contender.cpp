// SPDX-License-Identifier: Apache-2.0

// OpenMP, compiled twice: by g++ for libgomp and by clang++ for libomp. One thread of the team makes the tasks, the
// others run them at the barrier that ends the single construct.
//
// The environment (OMP_WAIT_POLICY and the like) is left as it is. libomp is told not to throttle where tasks must stay
// pending; libgomp cannot be told so.
#include <omp.h>

#include <cstdlib>
#include <stdexcept>

#include "bench/tasks/contender.hpp"

namespace weir::bench {

namespace {

#if defined(__clang__)
constexpr bool kLibgomp = false;
#else
constexpr bool kLibgomp = true;
#endif

// libgomp runs a task at once when 64 for each thread of the team are waiting.
constexpr long kLibgompPending = 64;

long fibonacci_task(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
#pragma omp task shared(a) firstprivate(n)
  a = fibonacci_task(n - 1);
  b = fibonacci_task(n - 2);
#pragma omp taskwait
  return a + b;
}

constexpr std::size_t kMostCases = 8;  // inputs of a task in the patterns that read less than a row of that width

// All inputs in one clause: it takes memory for them at every task, so only where there are too many for a case.
void graph_task_of_many(TaskGraph& tasks, int step, int column) {
  const auto in = tasks.inputs(step, column);
  const int count = int(in.size());
  const Cell* row = &tasks.cell(step - 1, 0);
  const std::int16_t* columns = in.data();
  Cell* o = &tasks.cell(step, column);
  TaskGraph* graph = &tasks;
#pragma omp task firstprivate(graph, step, column) depend(out                                                          \
                                                          : *o) depend(iterator(int k = 0                              \
                                                                                : count),                              \
                                                                       in                                              \
                                                                       : row[columns[k]])
  graph->execute(step, column);
}

// A depend clause has a fixed number of items, hence a case for each number of inputs.
void graph_task(TaskGraph& tasks, int step, int column) {
  const auto in = tasks.inputs(step, column);
  if (in.size() > kMostCases) return graph_task_of_many(tasks, step, column);
  [[maybe_unused]] const Cell* i[kMostCases] = {};
  for (std::size_t k = 0; k < in.size(); ++k) i[k] = &tasks.cell(step - 1, in[k]);
  [[maybe_unused]] Cell* o = &tasks.cell(step, column);
  TaskGraph* graph = &tasks;
  switch (in.size()) {
    case 0:
#pragma omp task firstprivate(graph, step, column) depend(out : *o)
      graph->execute(step, column);
      break;
    case 1:
#pragma omp task firstprivate(graph, step, column) depend(out : *o) depend(in : *i[0])
      graph->execute(step, column);
      break;
    case 2:
#pragma omp task firstprivate(graph, step, column) depend(out : *o) depend(in : *i[0], *i[1])
      graph->execute(step, column);
      break;
    case 3:
#pragma omp task firstprivate(graph, step, column) depend(out : *o) depend(in : *i[0], *i[1], *i[2])
      graph->execute(step, column);
      break;
    case 4:
#pragma omp task firstprivate(graph, step, column) depend(out : *o) depend(in : *i[0], *i[1], *i[2], *i[3])
      graph->execute(step, column);
      break;
    case 5:
#pragma omp task firstprivate(graph, step, column) depend(out : *o) depend(in : *i[0], *i[1], *i[2], *i[3], *i[4])
      graph->execute(step, column);
      break;
    case 6:
#pragma omp task firstprivate(graph, step, column) depend(out                                                          \
                                                          : *o) depend(in                                              \
                                                                       : *i[0], *i[1], *i[2], *i[3], *i[4], *i[5])
      graph->execute(step, column);
      break;
    case 7:
#pragma omp task firstprivate(graph, step, column) depend(out                                                          \
                                                          : *o)                                                        \
    depend(in                                                                                                          \
           : *i[0], *i[1], *i[2], *i[3], *i[4], *i[5], *i[6])
      graph->execute(step, column);
      break;
    case 8:
#pragma omp task firstprivate(graph, step, column) depend(out                                                          \
                                                          : *o)                                                        \
    depend(in                                                                                                          \
           : *i[0], *i[1], *i[2], *i[3], *i[4], *i[5], *i[6], *i[7])
      graph->execute(step, column);
      break;
  }
}

class OpenmpContender final : public Contender {
 public:
  explicit OpenmpContender(int workers) : workers_(workers) {
    omp_set_dynamic(0);
    omp_set_num_threads(workers);
  }

  std::string about() const override {
#if defined(__clang__)
    return "libomp, clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__);
#else
    return "libgomp, g++ " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__);
#endif
  }

  void enter(const std::function<void()>& work) override {
    int team = 0;
#pragma omp parallel
#pragma omp single
    {
      team = omp_get_num_threads();
      if (team == workers_) work();
    }
    if (team != workers_) throw std::runtime_error("OpenMP gave a team of " + std::to_string(team));
  }

  void independent(long count) override {
    for (long i = 0; i < count; ++i) {
#pragma omp task
      empty_task();
    }
#pragma omp taskwait
  }
  void independent_counted(long count, std::atomic<long>& counter) override {
    for (long i = 0; i < count; ++i) {
#pragma omp task shared(counter)
      ++counter;
    }
#pragma omp taskwait
  }

  void chain(long count, Slot& slot) override {
    for (long i = 0; i < count; ++i) {
#pragma omp task shared(slot) depend(inout : slot)
      ++slot.value;
    }
#pragma omp taskwait
  }

  long fibonacci(int n) override { return fibonacci_task(n); }

  void wavefront(Wavefront& grid) override {
    [[maybe_unused]] Slot* rows = grid.rows.data();
    [[maybe_unused]] Slot* columns = grid.columns.data();
    for (int r = 0; r < grid.side(); ++r) {
      for (int c = 0; c < grid.side(); ++c) {
#pragma omp task shared(grid) firstprivate(r, c) depend(inout : rows[r], columns[c])
        grid.execute(r, c);
      }
    }
#pragma omp taskwait
  }

  void task_graph(TaskGraph& tasks) override {
    const bool trivial = tasks.pattern() == Pattern::trivial;
    for (int step = 0; step < tasks.steps(); ++step) {
      const Columns row = tasks.columns(step);
      for (int column = row.first; column < row.end(); ++column) {
        if (trivial) {
#pragma omp task shared(tasks) firstprivate(step, column)
          tasks.execute(step, column);
        } else {
          graph_task(tasks, step, column);
        }
      }
    }
#pragma omp taskwait
  }

  // A team of one runs its tasks at once, so this needs a team of two of its own, whose second thread keeps away from
  // every point at which it would run tasks.
  void pending(long count, const std::function<void()>& at_peak) override {
    std::atomic<int> phase{0};
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 0) {
        while (phase.load() == 0) {
        }
        make_pending(count);
        at_peak();
        phase = 2;
      } else {
        phase = 1;
        while (phase.load() != 2) {
        }
      }
    }
  }
  long pending_limit() const override { return kLibgomp ? 2 * kLibgompPending : Contender::pending_limit(); }

 private:
  static void make_pending(long count) {
    for (long i = 0; i < count; ++i) {
#pragma omp task
      empty_task();
    }
  }

  int workers_;
};

}  // namespace

std::unique_ptr<Contender> make_contender(int workers, const std::string& bench) {
  // Read when the first OpenMP call is made.
  if (bench == "bytes_per_task") setenv("KMP_ENABLE_TASK_THROTTLING", "0", 1);
  return std::make_unique<OpenmpContender>(workers);
}

}  // namespace weir::bench
