// SPDX-License-Identifier: Apache-2.0

// Programs with one mistake each, chosen by the first argument: what check_test.py runs under `weir check`.
//
// The line that is to be found is marked with `FINDS <case>: <kind>`; of `unordered` both lines.
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "weir/weir.hpp"

namespace {

constexpr std::size_t kSide = 40, kTile = 10;

void wrong_mode(weir::Runtime& runtime) {
  double a = 1, b = 0;
  runtime.spawn(weir::in(a), weir::out(b), weir::name("reader"), [&] {
    b = a;
    a = 2;  // FINDS wrong_mode: wrong-mode
  });
  runtime.wait();
}

void forgotten_object(weir::Runtime& runtime) {
  double a = 0, b = 0, sum = 0;
  runtime.spawn(weir::out(a), weir::name("a"), [&] { a = 1; });
  runtime.spawn(weir::out(b), weir::name("b"), [&] {
    b = 2;  // FINDS forgotten_object: unordered
  });
  runtime.spawn(weir::in(a), weir::out(sum), weir::name("sum"), [&] {
    sum = a + b;  // FINDS forgotten_object: undeclared unordered
  });
  runtime.wait();
}

void forgotten_block(weir::Runtime& runtime) {
  weir::Block<int> table(runtime, 100, "table"), copy(runtime, 100, "copy");
  const int* shortcut = nullptr;
  runtime.spawn(weir::out(table), [&](std::span<int> t) {
    std::fill(t.begin(), t.end(), 3);
    shortcut = t.data();
  });
  runtime.wait();
  runtime.spawn(weir::out(copy), [&](std::span<int> c) {
    std::memcpy(c.data(), shortcut, c.size_bytes());  // FINDS forgotten_block: undeclared
  });
  runtime.wait();
}

// The last column of a tile's rows is the neighbour's first.
void off_by_one_tile(weir::Runtime& runtime) {
  std::vector<double> cells(kSide * kSide, 1);
  weir::Watched<double> table(cells.data(), kSide, kSide, kSide, kTile, kTile);
  for (std::size_t row = 0; row < kSide; row += kTile) {
    runtime.spawn(weir::inout(table.tile(row, kTile, kTile, kTile)), weir::name("smooth"), [](weir::View2D<double> t) {
      for (std::size_t i = 0; i < t.rows(); ++i) {
        for (std::size_t j = 0; j < t.cols(); ++j)
          t(i, j) = (t(i, j) + t.row(i)[j + 1]) / 2;  // FINDS off_by_one_tile: undeclared
      }
    });
  }
  runtime.wait();
}

// A loop of vectors whose last one begins within the tile and ends outside.
#ifndef __clang__
[[gnu::optimize("O3")]]
#endif
[[gnu::noinline]] double
sum_of(const double* from, std::size_t count) {
  double sum[8] = {};
  for (std::size_t i = 0; i < count; i += 8)
    for (std::size_t k = 0; k < 8; ++k) sum[k] += from[i + k];  // FINDS off_by_one_vector: undeclared
  return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}

void off_by_one_vector(weir::Runtime& runtime) {
  std::vector<double> cells(1000, 1);
  weir::Watched<double> table(cells.data(), cells.size(), 100);
  double sum = 0;
  runtime.spawn(weir::in(table.block(3)), weir::out(sum), [&] { sum = sum_of(cells.data() + 300, 100); });
  runtime.wait();
}

void copied_too_much(weir::Runtime& runtime) {
  std::vector<char> from(20000), to(20000);
  weir::Watched<char> source(from.data(), from.size(), 5000);
  runtime.spawn(weir::out(to.data(), 5001), weir::in(source.block(1)), weir::name("copy"), [&] {
    std::memcpy(to.data(), from.data() + 5000, 5001);  // FINDS copied_too_much: undeclared
  });
  runtime.wait();
}

void beyond_block(weir::Runtime& runtime) {
  weir::Block<double> block(runtime, 100, "hundred");
  runtime.spawn(weir::out(block), [](std::span<double> b) {
    double* const first = b.data();
    for (std::size_t i = 0; i <= b.size(); ++i) first[i] = 1;  // FINDS beyond_block: beyond
  });
  runtime.wait();
}

void read_before_written(weir::Runtime& runtime) {
  double sum = 0;
  std::vector<double> values(10, 1);
  runtime.spawn(weir::in(std::span<const double>(values)), weir::out(sum), weir::name("sum"), [&] {
    for (const double value : values) sum += value;  // FINDS read_before_written: read-first
  });
  runtime.wait();
}

void destroyed(weir::Runtime& runtime) {
  auto block = std::make_unique<weir::Block<int>>(runtime, 10, "short-lived");
  int* left = nullptr;
  runtime.spawn(weir::out(*block), [&](std::span<int> b) {
    left = b.data();
    b[0] = 1;
  });
  runtime.wait();
  block.reset();
  int other = 0;
  runtime.spawn(weir::out(other), weir::name("late"), [&] {
    other = *left;  // FINDS destroyed: released
  });
  runtime.wait();
}

void outside_of_tasks(weir::Runtime& runtime) {
  weir::Block<int> block(runtime, 10, "kept");
  volatile int* left = nullptr;
  runtime.spawn(weir::out(block), [&](std::span<int> b) {
    left = b.data();
    b[0] = 1;
  });
  runtime.wait();
  left[0] = 2;  // FINDS outside_of_tasks: outside
}

// Tasks that declare nothing are not held to anything, but to an order.
void missing_edge(weir::Runtime& runtime) {
  int total = 0;
  runtime.spawn(weir::inout(total), weir::name("add"), [&] {
    total += 1;  // FINDS missing_edge: unordered
  });
  runtime.spawn(weir::name("reset"), [&] {
    total = 0;  // FINDS missing_edge: unordered
  });
  runtime.wait();
}

// after() is an order: of the second and third only.
void missing_after(weir::Runtime& runtime) {
  std::vector<int> values(2000);
  runtime.spawn(weir::out(values.data(), values.size()), [&] {
    for (int& value : values) value = 1;  // FINDS missing_after: unordered
  });
  auto first = runtime.spawn([&] { values[0] = 2; });  // FINDS missing_after: unordered
  static_cast<void>(first);
  runtime.spawn(weir::after(first), [&] {
    values[0] = 3;  // FINDS missing_after: unordered
  });
  runtime.wait();
}

// The parent goes on without waiting for its child.
void parent_beside_child(weir::Runtime& runtime) {
  int values[2] = {0, 0};
  runtime.spawn(weir::inout(values), weir::name("parent"), [&] {
    weir::spawn(weir::inout(values[0]), weir::name("child"), [&] {
      values[0] = 1;  // FINDS parent_beside_child: unordered
    });
    values[0] = 2;  // FINDS parent_beside_child: unordered
    weir::wait();
  });
  runtime.wait();
}

void never_touched(weir::Runtime& runtime) {
  alignas(4096) static double used[512], unused[512];  // on pages that nothing else is on
  const auto half = [&] { used[0] += 1; };
  for (int i = 0; i < 3; ++i) {
    runtime.spawn(weir::inout(used, 100), weir::in(unused, 100), half);  // FINDS never_touched: untouched
  }
  runtime.wait();
}

// An access may begin in the block.
void beyond_small_block(weir::Runtime& runtime) {
  weir::Block<std::int32_t> block(runtime, 1, "four");
  runtime.spawn(weir::out(block), [](std::span<std::int32_t> b) {
    *reinterpret_cast<volatile std::uint64_t*>(b.data()) = 1;  // FINDS beyond_small_block: beyond
  });
  runtime.wait();
}

// ---- Parts of fork_join() and of loops ----

void halves_of_a_fork(weir::Runtime& runtime) {
  std::vector<int> values(100);
  runtime.spawn(weir::inout(values.data(), values.size()), weir::name("halves"), [&] {
    weir::fork_join([&] { values[50] = 1; },    // FINDS halves_of_a_fork: unordered
                    [&] { values[50] += 2; });  // FINDS halves_of_a_fork: unordered
    values[50] = 3;
  });
  runtime.wait();
}

// A part reads what is the next one's.
void parts_of_a_loop(weir::Runtime& runtime) {
  std::vector<double> values(4001, 1);
  runtime.spawn(weir::inout(values.data(), values.size()), weir::name("shift"), [&] {
    weir::parallel_for(0, 4000, 500, [&](int from, int to) {
      for (int i = from; i < to; ++i) values[i] = values[i + 1] + 1;  // FINDS parts_of_a_loop: unordered
    });
  });
  runtime.wait();
}

// Whoever runs the parts, each is looked at as one that may run at the same time as the others.
void parts_of_a_repeated_loop(weir::Runtime& runtime) {
  std::vector<double> values(4001, 1);
  runtime.spawn(weir::inout(values.data(), values.size()), weir::name("shift again"), [&] {
    weir::LoopAffinity affinity;
    for (int turn = 0; turn < 2; ++turn)
      weir::parallel_for(0, 4000, 500, affinity, [&](int from, int to) {
        for (int i = from; i < to; ++i) values[i] = values[i + 1] + 1;  // FINDS parts_of_a_repeated_loop: unordered
      });
  });
  runtime.wait();
}

void parts_of_a_sum(weir::Runtime& runtime) {
  std::vector<double> values(400, 1);
  double last = 0, sum = 0;
  runtime.spawn(weir::in(values.data(), values.size()), weir::out(sum), weir::inout(last), [&] {
    sum = weir::parallel_reduce(
        0, 400, 100, 0.0,
        [&](int from, int to, double part) {
          while (from < to) part += values[from++];
          last = part;  // FINDS parts_of_a_sum: unordered
          return part;
        },
        std::plus<>());
  });
  runtime.wait();
}

// The children of both parts come one after the other by their footprints; what the parts themselves do does not.
void children_of_both_parts(weir::Runtime& runtime) {
  int value = 0, other = 0;
  runtime.spawn(weir::inout(value), weir::inout(other), weir::name("parent"), [&] {
    weir::fork_join(
        [&] {
          weir::spawn(weir::inout(value), [&] { ++value; });
          other = 1;  // FINDS children_of_both_parts: unordered
        },
        [&] {
          weir::spawn(weir::inout(value), [&] { ++value; });
          weir::wait();
          other = 2;  // FINDS children_of_both_parts: unordered
        });
  });
  runtime.wait();
}

// Where no task is around it memory has to have a name, or to be a block.
void fork_outside_of_tasks(weir::Runtime& runtime) {
  std::vector<int> values(100);
  runtime.spawn(weir::inout(values.data(), values.size()), [&] { values[90] = 1; });
  weir::fork_join([&] { values[50] = 1; },    // FINDS fork_outside_of_tasks: unordered
                  [&] { values[50] += 2; });  // FINDS fork_outside_of_tasks: unordered
  runtime.wait();
}

void block_in_a_fork(weir::Runtime& runtime) {
  weir::Block<int> block(runtime, 10, "kept");
  volatile int* left = nullptr;
  runtime.spawn(weir::out(block), [&](std::span<int> b) {
    left = b.data();
    b[0] = 1;
  });
  runtime.wait();
  weir::fork_join([&] { left[0] = 2; },  // FINDS block_in_a_fork: outside
                  [&] { static_cast<void>(block); });
}

// ---- In the kernel, and deep down ----

void read_into_in(weir::Runtime& runtime) {
  char bytes[64] = {};
  const int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  runtime.spawn(weir::in(bytes), [&] {
    if (read(zeros, bytes, 64) != 64) std::puts("nothing was read");  // FINDS read_into_in: wrong-mode
  });
  runtime.wait();
  close(zeros);
}

void read_into_block_outside(weir::Runtime& runtime) {
  weir::Block<char> block(runtime, 64, "kept");
  char* left = nullptr;
  runtime.spawn(weir::out(block), [&](std::span<char> b) {
    left = b.data();
    b[0] = 1;
  });
  runtime.wait();
  const int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  if (read(zeros, left, 64) != 64) std::puts("nothing was read");  // FINDS read_into_block_outside: outside
  close(zeros);
}

double own[64], others[64];

[[gnu::noinline]] double recurse(int depth, double* at) {
  volatile char frame[1000];
  frame[0] = 1;
  if (depth != 0) return recurse(depth - 1, at) + frame[0];
  *at += 1;
  others[3] = 1;  // FINDS deep_recursion: undeclared
  return *at;
}

void deep_recursion(weir::Runtime& runtime) {
  double local = 0;
  runtime.spawn(weir::in(others), [] { static_cast<void>(*static_cast<volatile double*>(others)); });
  runtime.spawn(weir::inout(local), [&] { static_cast<void>(recurse(6000, &local)); });
  runtime.wait();
}

void nest(int depth) {
  weir::spawn(weir::inout(own), [depth] {
    if (depth != 0) return nest(depth - 1);
    own[0] = 1;
    others[5] = 1;  // FINDS deep_waits: undeclared
  });
  weir::wait();
}

void deep_waits(weir::Runtime& runtime) {
  runtime.spawn(weir::in(others), [] { static_cast<void>(*static_cast<volatile double*>(others)); });
  runtime.spawn(weir::inout(own), [] { nest(200); });
  runtime.wait();
}

// ---- Beside threads that touch what the task may, by themselves or in the kernel ----

struct alignas(4096) SharedPage {
  double mine[10] = {};
  std::mutex mutex;
  std::condition_variable changed;
  bool go_on = false;
  double others[10] = {};
} page;

void beside_a_busy_thread(weir::Runtime& runtime) {
  runtime.spawn(weir::out(page.others), [] {
    std::fill_n(page.others, 10, 1);  // FINDS beside_a_busy_thread: unordered
  });
  runtime.spawn(weir::inout(page.mine), weir::name("beside"), [] {
    std::atomic<int> times{0};
    std::atomic<bool> stop{false};
    std::thread busy([&] {
      for (volatile double* const mine = page.mine; !stop; ++times) mine[5] = mine[5] + 1;
    });
    while (times < 20) {
    }
    page.others[3] = 2;  // FINDS beside_a_busy_thread: undeclared unordered
    stop = true;
    busy.join();
  });
  runtime.wait();
}

// The word that it waits for is on the page.
void beside_a_sleeping_thread(weir::Runtime& runtime) {
  runtime.spawn(weir::out(page.others), [] {
    std::fill_n(page.others, 10, 1);  // FINDS beside_a_sleeping_thread: unordered
  });
  runtime.spawn(weir::inout(page.mine), weir::name("beside"), [] {
    std::atomic<bool> locked{false};
    std::thread sleeps([&] {
      std::unique_lock lock(page.mutex);
      locked = true;
      page.changed.wait(lock, [] { return page.go_on; });
    });
    while (!locked) {
    }
    {
      const std::lock_guard lock(page.mutex);  // it waits by now, and may sleep
      page.go_on = true;
    }
    page.others[3] = 2;  // FINDS beside_a_sleeping_thread: undeclared unordered
    page.changed.notify_one();
    sleeps.join();
  });
  runtime.wait();
}

void until_it_sleeps(const std::atomic<int>& thread) {
  for (std::string line; line.find(") S") == std::string::npos;) {
    std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::getline(stat, line);
  }
}

// It reads into the page.
void beside_a_reading_thread(weir::Runtime& runtime) {
  int ends[2];
  if (pipe(ends) != 0) return;
  runtime.spawn(weir::out(page.others), [] {
    std::fill_n(page.others, 10, 1);  // FINDS beside_a_reading_thread: unordered
  });
  runtime.spawn(weir::inout(page.mine), weir::name("beside"), [&] {
    std::atomic<int> number{0};
    std::thread reader([&] {
      number = gettid();
      if (read(ends[0], page.mine, sizeof(double)) != sizeof(double)) std::puts("nothing was read");
    });
    until_it_sleeps(number);
    const double sent = 7;
    page.others[3] = 2;  // FINDS beside_a_reading_thread: undeclared unordered
    if (write(ends[1], &sent, sizeof sent) != sizeof sent) std::puts("nothing was written");
    reader.join();
    if (page.mine[0] != sent) std::abort();
  });
  runtime.wait();
}

// What a thread of a task does is the task's.
void thread_of_a_task(weir::Runtime& runtime) {
  std::vector<int> values(100);
  volatile int sum = 0;
  runtime.spawn(weir::out(std::span(values)), weir::name("writes"), [&] {
    values[50] = 1;  // FINDS thread_of_a_task: unordered
  });
  runtime.spawn(weir::name("reads"), [&] {
    std::thread([&] {
      sum = values[50];  // FINDS thread_of_a_task: unordered
    }).join();
  });
  runtime.wait();
}

// So is what it does on a page that is opened to a thread beside it, again and again.
void thread_of_a_task_beside_a_busy_one(weir::Runtime& runtime) {
  std::atomic<int> times{0};
  std::atomic<bool> stop{false};
  volatile double sum = 0;
  std::thread busy([&] {
    for (volatile double* const mine = page.mine; !stop; ++times) mine[5] = mine[5] + 1;
  });
  runtime.spawn(weir::out(page.others), [] {
    std::fill_n(page.others, 10, 1);  // FINDS thread_of_a_task_beside_a_busy_one: unordered
  });
  runtime.spawn(weir::name("reads"), [&] {
    std::thread([&] {
      for (const int before = times; times < before + 20;) {
      }
      sum = page.others[3];  // FINDS thread_of_a_task_beside_a_busy_one: unordered
    }).join();
    stop = true;
  });
  runtime.wait();
  busy.join();
}

// What the task does meanwhile is not seen where the thread's call needs the page: that is said.
void thread_in_a_call(weir::Runtime& runtime) {
  int ends[2];
  if (pipe(ends) != 0) return;
  runtime.spawn(weir::inout(page.mine), weir::name("beside"), [&] {
    std::atomic<int> number{0};
    std::thread reader([&] {
      number = gettid();
      const iovec part{page.mine, sizeof(double)};
      if (readv(ends[0], &part, 1) != sizeof(double)) std::puts("nothing was read");
    });
    until_it_sleeps(number);
    const double sent = 7;
    page.mine[1] = 1;
    if (write(ends[1], &sent, sizeof sent) != sizeof sent) std::puts("nothing was written");
    reader.join();
    if (page.mine[0] != sent) std::puts("something else was read");
  });
  runtime.wait();
}

// ---- After so many accesses that pages are left to tasks for what they have done there: --exact ----

void late(weir::Runtime& runtime) {
  constexpr int kTasks = 64, kTimes = 400;
  runtime.spawn(weir::out(page.others), [] { std::fill_n(page.others, 10, 1); });
  for (int i = 0; i < kTasks; ++i) {
    runtime.spawn(weir::inout(page.mine), weir::name("mine"), [i] {
      for (int k = 0; k < kTimes; ++k) static_cast<volatile double*>(page.mine)[k % 10] = k;
      if (i == kTasks - 1) page.others[3] = 2;
    });
  }
  runtime.wait();
}

// Nothing that a part touches has a name.
void free_parts(weir::Runtime&) {
  std::vector<int> values(100);
  weir::parallel_for(0, 100, 25, [&](int from, int to) { std::fill(values.begin() + from, values.begin() + to, 1); });
}

// ---- How programs end: each with one task that has no mistake ----

void nothing(weir::Runtime& runtime) {
  int value = 0;
  runtime.spawn(weir::inout(value), [&] { ++value; });
  runtime.wait();
}

void aborts(weir::Runtime& runtime) {
  int value = 0;
  runtime.spawn(weir::inout(value), [&] { std::abort(); });
  runtime.wait();
}

void exits(weir::Runtime& runtime) {
  nothing(runtime);
  std::exit(7);
}

void two_runtimes(weir::Runtime& runtime) {
  weir::Runtime second;
  nothing(runtime);
  nothing(second);
  std::puts("two runtimes");
}

void for_ever(weir::Runtime& runtime) {
  int value = 0;
  runtime.spawn(weir::inout(value), [&] {
    for (;;) static_cast<void>(*static_cast<volatile int*>(&value));
  });
  runtime.wait();
}

void mistake_for_ever(weir::Runtime& runtime) {
  int value = 0;
  runtime.spawn(weir::in(value), [&] {
    value = 1;
    std::fputs("for ever\n", stderr);
    for (;;) static_cast<void>(*static_cast<volatile int*>(&value));
  });
  runtime.wait();
}

}  // namespace

void thread_beside(weir::Runtime& runtime) {
  weir::Block<int> block(runtime, 10, "read");
  runtime.spawn(weir::out(block), [](std::span<int> b) { b[0] = 1; });
  std::atomic<int*> given{nullptr};
  std::thread other([&] {
    while (given == nullptr) std::this_thread::yield();
    *given += 1;  // FINDS thread_beside: outside
    given = nullptr;
  });
  runtime.spawn(weir::in(block), [&](std::span<const int> b) {
    given = const_cast<int*>(b.data());
    while (given != nullptr) std::this_thread::yield();
  });
  runtime.wait();
  other.join();
}

void forgotten_in_a_range(weir::Runtime& runtime) {
  constexpr std::size_t kPart = 2048;  // 16 KiB
  std::vector<double> values(8 * kPart);
  double sum = 0;
  weir::Block<double> scale(runtime, 1, "scale");
  runtime.spawn(weir::out(scale), [](std::span<double> s) { s[0] = 2; });
  runtime.spawn(weir::out(values.data(), values.size()), [](auto all) { std::fill(all.begin(), all.end(), 1.0); });
  std::vector<weir::Access> some{weir::in(scale)};
  for (const std::size_t part : {0, 2, 6}) some.push_back(weir::in(&values[part * kPart], kPart));
  runtime.spawn(some, weir::out(sum), weir::name("sum"), [&](weir::Items items, double& to) {
    to = 0;
    for (std::size_t i = 0; i < items.size(); ++i) to += items[i].span<const double>()[0];
    to += values[4 * kPart + 100];  // FINDS forgotten_in_a_range: undeclared
  });
  runtime.wait();
}

int main(int, char** argv) {
  const std::map<std::string, void (*)(weir::Runtime&)> cases = {
      {"wrong_mode", wrong_mode},
      {"forgotten_object", forgotten_object},
      {"forgotten_in_a_range", forgotten_in_a_range},
      {"forgotten_block", forgotten_block},
      {"off_by_one_tile", off_by_one_tile},
      {"off_by_one_vector", off_by_one_vector},
      {"copied_too_much", copied_too_much},
      {"beyond_block", beyond_block},
      {"read_before_written", read_before_written},
      {"destroyed", destroyed},
      {"outside_of_tasks", outside_of_tasks},
      {"thread_beside", thread_beside},
      {"missing_edge", missing_edge},
      {"missing_after", missing_after},
      {"parent_beside_child", parent_beside_child},
      {"never_touched", never_touched},
      {"beyond_small_block", beyond_small_block},
      {"halves_of_a_fork", halves_of_a_fork},
      {"parts_of_a_loop", parts_of_a_loop},
      {"parts_of_a_repeated_loop", parts_of_a_repeated_loop},
      {"parts_of_a_sum", parts_of_a_sum},
      {"children_of_both_parts", children_of_both_parts},
      {"fork_outside_of_tasks", fork_outside_of_tasks},
      {"block_in_a_fork", block_in_a_fork},
      {"read_into_in", read_into_in},
      {"read_into_block_outside", read_into_block_outside},
      {"deep_recursion", deep_recursion},
      {"deep_waits", deep_waits},
      {"beside_a_busy_thread", beside_a_busy_thread},
      {"beside_a_sleeping_thread", beside_a_sleeping_thread},
      {"beside_a_reading_thread", beside_a_reading_thread},
      {"thread_of_a_task", thread_of_a_task},
      {"thread_of_a_task_beside_a_busy_one", thread_of_a_task_beside_a_busy_one},
  };
  std::map<std::string, void (*)(weir::Runtime&)> ends;  // for golden/, and not among the cases that mark a line
  ends["nothing"] = nothing;
  ends["aborts"] = aborts;
  ends["exits"] = exits;
  ends["two_runtimes"] = two_runtimes;
  ends["late"] = late;
  ends["free_parts"] = free_parts;
  ends["thread_in_a_call"] = thread_in_a_call;
  ends["for_ever"] = for_ever;
  ends["mistake_for_ever"] = mistake_for_ever;
  weir::Runtime runtime;
  (cases.contains(argv[1]) ? cases : ends).at(argv[1])(runtime);
}
