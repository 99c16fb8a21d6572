// SPDX-License-Identifier: Apache-2.0

// No runtime: each task is a call, in the order in which the others would be told of it. What is left is the work of
// the tasks themselves, their checks included: the least that any runtime can take with one worker.
#include "bench/tasks/contender.hpp"

namespace weir::bench {

namespace {

[[gnu::noinline]] long fibonacci_call(int n) {
  if (n < 2) return n;
  return fibonacci_call(n - 1) + fibonacci_call(n - 2);
}

class SerialContender final : public Contender {
 public:
  explicit SerialContender(int workers) : workers_(workers) {}

  std::string about() const override { return "plain calls on one thread"; }
  std::string unsupported(const std::string& bench) const override {
    if (workers_ > 1) return "one thread calls all tasks";
    return bench == "bytes_per_task" ? "no task waits" : "";
  }
  void enter(const std::function<void()>& work) override { work(); }

  void independent(long count) override {
    for (long i = 0; i < count; ++i) empty_task();
  }
  void independent_counted(long count, std::atomic<long>& counter) override {
    for (long i = 0; i < count; ++i) ++counter;
  }

  void chain(long count, Slot& slot) override {
    for (long i = 0; i < count; ++i) {
      ++slot.value;
      empty_task();  // else the loop would be one addition
    }
  }

  long fibonacci(int n) override { return fibonacci_call(n); }

  void wavefront(Wavefront& grid) override {
    for (int r = 0; r < grid.side(); ++r) {
      for (int c = 0; c < grid.side(); ++c) grid.execute(r, c);
    }
  }

  void task_graph(TaskGraph& tasks) override {
    for (int step = 0; step < tasks.steps(); ++step) {
      const Columns row = tasks.columns(step);
      for (int column = row.first; column < row.end(); ++column) tasks.execute(step, column);
    }
  }

  void pending(long, const std::function<void()>&) override {}

 private:
  int workers_;
};

}  // namespace

std::unique_ptr<Contender> make_contender(int workers, const std::string& /*bench*/) {
  return std::make_unique<SerialContender>(workers);
}

}  // namespace weir::bench
