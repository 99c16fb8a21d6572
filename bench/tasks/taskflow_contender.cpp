// SPDX-License-Identifier: Apache-2.0

// Taskflow: asynchronous tasks, and where tasks depend on each other dependent ones, which are made with the handles of
// those that they come after; a task that waits for its own children for fork-join.
//
// The tasks are made by one of the executor's workers and the main thread sleeps meanwhile: N workers are N threads. A
// main thread that made them would be one more, whose every task goes through a locked queue that all threads share.
#include <array>
#include <cstddef>
#include <iterator>
#include <vector>

#include <taskflow/taskflow.hpp>

#include "bench/tasks/contender.hpp"

namespace weir::bench {

namespace {

using Handle = tf::AsyncTask;

// The idiom of Taskflow's own example: one branch is a task, the other is computed meanwhile.
long fibonacci_task(int n, tf::Runtime& runtime) {
  if (n < 2) return n;
  long a = 0;
  runtime.silent_async([&a, n](tf::Runtime& inner) { a = fibonacci_task(n - 1, inner); });
  const long b = fibonacci_task(n - 2, runtime);
  runtime.corun_all();
  return a + b;
}

// Handles that lie anywhere, as a range: to copy a handle is to count it, twice.
class Chosen {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = Handle;
  using difference_type = std::ptrdiff_t;
  using pointer = Handle*;
  using reference = Handle&;

  explicit Chosen(Handle* const* at) noexcept : at_(at) {}
  Handle& operator*() const noexcept { return **at_; }
  Chosen& operator++() noexcept { return ++at_, *this; }
  Chosen operator++(int) noexcept { return Chosen(at_++); }
  bool operator==(const Chosen& other) const noexcept { return at_ == other.at_; }
  bool operator!=(const Chosen& other) const noexcept { return at_ != other.at_; }

 private:
  Handle* const* at_;
};

// The handles of the newest rows of a graph: those that the next tasks may have to name.
class Rows {
 public:
  explicit Rows(int width) : width_(std::size_t(width)), handles_(kRows * width_) {}
  Handle& at(int step, int column) noexcept {
    return handles_[std::size_t(step) % kRows * width_ + std::size_t(column)];
  }

 private:
  static constexpr std::size_t kRows = kCellsOfColumn + 1;
  std::size_t width_;
  std::vector<Handle> handles_;
};

class TaskflowContender final : public Contender {
 public:
  explicit TaskflowContender(int workers) : executor_(std::size_t(workers)) {}

  std::string about() const override {
    return std::string("Taskflow ") + tf::version() + ", tasks are made by a worker";
  }
  void enter(const std::function<void()>& work) override {
    executor_.async([&work] { work(); }).get();
  }

  void independent(long count) override {
    for (long i = 0; i < count; ++i) executor_.silent_async([] { empty_task(); });
    wait();
  }
  void independent_counted(long count, std::atomic<long>& counter) override {
    for (long i = 0; i < count; ++i) executor_.silent_async([&counter] { ++counter; });
    wait();
  }

  void chain(long count, Slot& slot) override {
    const auto link = [&slot] { ++slot.value; };
    Handle last = executor_.silent_dependent_async(link);
    for (long i = 1; i < count; ++i) last = executor_.silent_dependent_async(link, &last, &last + 1);
    wait();
  }

  long fibonacci(int n) override {
    long result = 0;
    executor_.silent_async([&result, n](tf::Runtime& runtime) { result = fibonacci_task(n, runtime); });
    wait();
    return result;
  }

  void wavefront(Wavefront& grid) override {
    std::vector<Handle> above(std::size_t(grid.side()));
    for (int r = 0; r < grid.side(); ++r) {
      for (int c = 0; c < grid.side(); ++c) {
        Handle& upper = above[std::size_t(c)];
        std::array<Handle*, 2> before{};
        std::size_t count = 0;
        if (r > 0) before[count++] = &upper;
        if (c > 0) before[count++] = &above[std::size_t(c - 1)];
        upper = after(before.data(), count, [&grid, r, c] { grid.execute(r, c); });
      }
    }
    wait();
  }

  void task_graph(TaskGraph& tasks) override {
    if (tasks.pattern() == Pattern::trivial) return trivial_graph(tasks);
    Rows rows(tasks.width());
    std::vector<Handle*> before;
    for (int step = 0; step < tasks.steps(); ++step) {
      const Columns row = tasks.columns(step);
      for (int column = row.first; column < row.end(); ++column) {
        before.clear();
        for (const int c : tasks.inputs(step, column)) before.push_back(&rows.at(step - 1, c));
        for (const auto& user : tasks.users_before(step, column)) {
          before.push_back(&rows.at(step - user.back, user.column));
        }
        rows.at(step, column) =
            after(before.data(), before.size(), [&tasks, step, column] { tasks.execute(step, column); });
      }
    }
    wait();
  }

  // Nothing runs before wait() in an executor whose only worker is making tasks.
  void pending(long count, const std::function<void()>& at_peak) override {
    for (long i = 0; i < count; ++i) executor_.silent_async([] { empty_task(); });
    at_peak();
    wait();
  }

 private:
  // This worker runs tasks until the only one left is the one it is in. The acquire pairs with the decrement by which
  // the executor counts a task as done, as num_topologies() orders nothing.
  void wait() {
    executor_.corun_until([this] { return executor_.num_topologies() == 1; });
    std::atomic_thread_fence(std::memory_order_acquire);
  }

  template <class Body>
  Handle after(Handle* const* before, std::size_t count, Body&& body) {
    return executor_.silent_dependent_async(std::forward<Body>(body), Chosen(before), Chosen(before + count));
  }

  void trivial_graph(TaskGraph& tasks) {
    for (int step = 0; step < tasks.steps(); ++step) {
      for (int column = 0; column < tasks.width(); ++column) {
        executor_.silent_async([&tasks, step, column] { tasks.execute(step, column); });
      }
    }
    wait();
  }

  tf::Executor executor_;
};

}  // namespace

std::unique_ptr<Contender> make_contender(int workers, const std::string& /*bench*/) {
  return std::make_unique<TaskflowContender>(workers);
}

}  // namespace weir::bench
