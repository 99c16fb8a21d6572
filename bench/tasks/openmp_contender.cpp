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

// A depend clause has a fixed number of items, hence a case for each number of inputs.
void graph_task(TaskGraph& tasks, int step, int column) {
  const Inputs& in = tasks.inputs(step, column);
  [[maybe_unused]] const Cell* i[kRadix] = {};
  for (int k = 0; k < in.count; ++k) i[k] = &tasks.cell(step - 1, in.columns[std::size_t(k)]);
  [[maybe_unused]] Cell* o = &tasks.cell(step, column);
  TaskGraph* graph = &tasks;
  switch (in.count) {
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
    default:
#pragma omp task firstprivate(graph, step, column) depend(out : *o) depend(in : *i[0], *i[1], *i[2], *i[3], *i[4])
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
      for (int column = 0; column < tasks.width(); ++column) {
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
