// SPDX-License-Identifier: Apache-2.0

// Weir itself, with the default options; WEIR_* variables apply, so that a policy can be compared.
#include "bench/tasks/contender.hpp"
#include "bench/tasks/spawn_graph_task.hpp"
#include "weir/weir.hpp"

namespace weir::bench {

namespace {

long fibonacci_task(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  weir::fork_join([&a, n] { a = fibonacci_task(n - 1); }, [&b, n] { b = fibonacci_task(n - 2); });
  return a + b;
}

class WeirContender final : public Contender {
 public:
  explicit WeirContender(const Options& options) : options_(options), runtime_(options) {}

  std::string about() const override { return "Weir"; }
  void enter(const std::function<void()>& work) override { work(); }

  void independent(long count) override {
    for (long i = 0; i < count; ++i) runtime_.spawn([] { empty_task(); });
    runtime_.wait();
  }
  void independent_counted(long count, std::atomic<long>& counter) override {
    for (long i = 0; i < count; ++i) runtime_.spawn([&counter] { ++counter; });
    runtime_.wait();
  }

  void chain(long count, Slot& slot) override {
    for (long i = 0; i < count; ++i) runtime_.spawn(weir::inout(slot), [&slot] { ++slot.value; });
    runtime_.wait();
  }

  long fibonacci(int n) override { return fibonacci_task(n); }

  void wavefront(Wavefront& grid) override {
    for (int r = 0; r < grid.side(); ++r) {
      for (int c = 0; c < grid.side(); ++c) {
        runtime_.spawn(weir::inout(grid.rows[std::size_t(r)]), weir::inout(grid.columns[std::size_t(c)]),
                       [&grid, r, c] { grid.execute(r, c); });
      }
    }
    runtime_.wait();
  }

  void task_graph(TaskGraph& tasks) override {
    const bool trivial = tasks.pattern() == Pattern::trivial;
    for (int step = 0; step < tasks.steps(); ++step) {
      const Columns row = tasks.columns(step);
      for (int column = row.first; column < row.end(); ++column) {
        if (trivial) {
          runtime_.spawn([&tasks, step, column] { tasks.execute(step, column); });
        } else {
          spawn_graph_task(runtime_, tasks, step, column);
        }
      }
    }
    runtime_.wait();
  }

  // One worker and no throttle: nothing runs before wait().
  void pending(long count, const std::function<void()>& at_peak) override {
    Options options = options_;
    options.workers = 1;
    options.throttle = 0;
    Runtime unthrottled(options);
    for (long i = 0; i < count; ++i) unthrottled.spawn([] { empty_task(); });
    at_peak();
    unthrottled.wait();
  }

 private:
  Options options_;
  Runtime runtime_;
};

}  // namespace

std::unique_ptr<Contender> make_contender(int workers, const std::string& /*bench*/) {
  Options options = Options::from_environment();
  options.workers = workers;
  return std::make_unique<WeirContender>(options);
}

}  // namespace weir::bench
