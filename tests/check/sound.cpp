// SPDX-License-Identifier: Apache-2.0

// A program without a mistake, that does what could look like one: nothing may be found in it.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "weir/weir.hpp"

namespace {

void require(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::exit(3);
}

// Small things beside each other on the heap and the stack.
int beside_the_counter = 0;

void neighbours(weir::Runtime& runtime) {
  int locals[3] = {0, 0, 0};
  for (int i = 0; i < 10; ++i) {
    runtime.spawn(weir::inout(locals[0]), [&] { ++locals[0]; });
    runtime.spawn(weir::inout(locals[1]), [&] { ++locals[1]; });
    runtime.spawn(weir::inout(locals[2]), weir::in(locals[0]), [&] { locals[2] += locals[0]; });
    ++beside_the_counter;
  }
  runtime.wait();
  require(locals[0] == 10 && locals[1] == 10 && locals[2] == 55, "neighbours");
}

// Objects, blocks and tiles of which only the run knows how many.
void ranges_of_items(weir::Runtime& runtime) {
  weir::Array<int, 2> table(runtime, {40, 40}, {10, 40}, "table");
  std::vector<weir::Access> tiles;
  for (std::size_t t = 0; t < 4; ++t) tiles.push_back(weir::out(table.tile(t, 0)));
  runtime.spawn(tiles, [](weir::Items items) {
    for (std::size_t t = 0; t < items.size(); ++t) {
      const weir::View2D<int> tile = items[t].view<int>();
      for (std::size_t row = 0; row < tile.rows(); ++row) std::fill_n(tile.row(row), tile.cols(), 2);
    }
  });
  int sum = 0;
  for (weir::Access& tile : tiles) tile.mode = weir::Mode::in;
  runtime.spawn(tiles, weir::out(sum), [](weir::Items items, int& to) {
    to = 0;
    for (std::size_t t = 0; t < items.size(); ++t) to += items[t].view<const int>()(9, 39);
  });
  runtime.wait();
  require(sum == 8, "ranges of items");
}

// Memory that a task takes and gives back, where something was watched a moment ago.
void memory_used_again(weir::Runtime& runtime) {
  long sum = 0;
  for (int i = 0; i < 20; ++i) {
    auto* const values = new std::vector<long>(500, 1);
    auto first = runtime.spawn(weir::inout(values->data(), values->size()), [values] { (*values)[7] = 2; });
    runtime.wait(first);
    delete values;
    runtime.spawn(weir::inout(sum), [&sum] {
      const std::vector<long> scratch(500, 3);
      sum += std::accumulate(scratch.begin(), scratch.end(), 0L);
    });
  }
  runtime.wait();
  require(sum == 30000, "memory used again");
}

// The kernel reads and writes memory that is closed to everybody else.
void system_calls(weir::Runtime& runtime) {
  std::vector<char> text(100), copy(100);
  int ends[2];
  require(pipe(ends) == 0, "pipe");
  runtime.spawn(weir::out(text.data(), text.size()),
                [&] { std::snprintf(text.data(), text.size(), "%s", "words in a pipe"); });
  runtime.spawn(weir::in(text.data(), text.size()),
                [&] { require(write(ends[1], text.data(), text.size()) == 100, "write"); });
  runtime.spawn(weir::out(copy.data(), copy.size()), weir::in(text.data(), text.size()), [&] {
    require(read(ends[0], copy.data(), copy.size()) == 100, "read");
    require(std::strcmp(copy.data(), text.data()) == 0 && std::strlen(copy.data()) == 15, "what was read");
    std::printf("in a task: %s\n", copy.data());
  });
  runtime.wait();
  close(ends[0]);
  close(ends[1]);
}

void modes(weir::Runtime& runtime) {
  std::atomic<int> hits{0};
  double sum = 0;
  std::vector<int> log;
  for (int i = 0; i < 30; ++i) {
    runtime.spawn(weir::concurrent(hits), [&] { ++hits; });
    runtime.spawn(weir::reduce_ordered(sum, std::plus<>(), 0.0), [](double& part) { part += 1; });
    runtime.spawn(weir::commutative(weir::object(log)), [&log, i] { log.push_back(i); });
  }
  runtime.wait();
  require(hits == 30 && sum == 30 && log.size() == 30, "modes");
}

// Children on parts of what the parent has; the parent on the rest, and on all of it after it has waited.
void children(weir::Runtime& runtime) {
  std::vector<int> values(3000);
  runtime.spawn(weir::inout(values.data(), values.size()), [&] {
    for (std::size_t i = 0; i < 2; ++i)
      weir::spawn(weir::inout(values.data() + 1000 * i, 1000),
                  [&, i] { std::fill_n(values.data() + 1000 * i, 1000, 1); });
    std::fill_n(values.data() + 2000, 1000, 1);
    weir::wait();
    values[0] += std::accumulate(values.begin(), values.end(), 0);
  });
  int result = 0;
  runtime.spawn(weir::in(values.data(), values.size()), weir::out(result), [&] { result = values[0]; });
  runtime.wait();
  require(result == 3001, "children");
}

void exceptions(weir::Runtime& runtime) {
  int value = 0;
  runtime.spawn(weir::inout(value), [&] {
    value = 1;
    throw std::runtime_error("on purpose");
  });
  runtime.spawn(weir::in(value), [] { require(false, "ran though its scope had failed"); });
  try {
    runtime.wait();
    require(false, "no exception");
  } catch (const std::runtime_error&) {
  }
}

// Another thread of the program works beside the tasks, on memory of the same pages.
void threads(weir::Runtime& runtime) {
  std::vector<int> shared(2048);
  std::atomic<bool> stop{false};
  std::thread beside([&] {
    while (!stop) ++shared[2047];
  });
  for (int i = 0; i < 50; ++i)
    runtime.spawn(weir::inout(shared.data(), 1024), [&] {
      for (int k = 0; k < 1024; ++k) ++shared[k];
    });
  runtime.wait();
  stop = true;
  beside.join();
  require(shared[0] == 50, "threads");
  // Two threads that spawn, on different data.
  long sums[2] = {0, 0};
  std::thread other([&] {
    for (int i = 0; i < 20; ++i) runtime.spawn(weir::inout(sums[1]), [&] { ++sums[1]; });
    runtime.wait();
  });
  for (int i = 0; i < 20; ++i) runtime.spawn(weir::inout(sums[0]), [&] { ++sums[0]; });
  runtime.wait();
  other.join();
  require(sums[0] == 20 && sums[1] == 20, "threads that spawn");
}

void loops(weir::Runtime& runtime) {
  std::vector<double> values(10000, 1);
  double sum = 0;
  runtime.spawn(weir::inout(values.data(), values.size()), [&] {
    weir::parallel_for(std::size_t{0}, values.size(), 100, [&](std::size_t from, std::size_t to) {
      for (; from < to; ++from) values[from] *= 2;
    });
  });
  runtime.spawn(weir::in(values.data(), values.size()), weir::out(sum),
                [&] { sum = std::accumulate(values.begin(), values.end(), 0.0); });
  runtime.wait();
  require(sum == 20000, "loops");
}

// Parts of loops share what is read, and count with an atomic where the footprint says so; what comes after a loop
// comes after all its parts, and so do its children when they were waited for.
void parts(weir::Runtime& runtime) {
  std::vector<int> from(1000, 1), to(1000);
  std::atomic<int> hits{0};
  int last = 0;
  runtime.spawn(weir::in(std::span<const int>(from)), weir::inout(std::span(to)), weir::concurrent(hits),
                weir::inout(last), [&] {
                  for (int round = 0; round < 3; ++round) {
                    weir::parallel_for(0, 1000, 100, [&](int i, int end) {
                      for (; i < end; ++i) to[i] += from[i] + from[999 - i];
                      ++hits;
                    });
                    weir::parallel_for(0, 1000, 300, [&](int i, int end) {
                      while (i < end) --to[i++];
                    });
                    weir::fork_join([&] { weir::spawn(weir::inout(last), [&] { ++last; }); }, [&] { ++to[0]; });
                    weir::wait();
                    ++last;
                  }
                });
  runtime.wait();
  require(to[0] == 6 && to[999] == 3 && hits == 48 && last == 6, "parts");
  try {
    weir::fork_join([] { throw std::runtime_error("on purpose"); }, [] { require(false, "ran after a failure"); });
    require(false, "no exception of a first part");
  } catch (const std::runtime_error&) {
  }
  bool first = false;
  try {
    weir::fork_join([&] { first = true; }, [] { throw std::runtime_error("on purpose"); });
    require(false, "no exception of a second part");
  } catch (const std::runtime_error&) {
  }
  int after = 0;
  runtime.spawn(weir::inout(after), [&] { ++after; });
  weir::fork_join([&] { runtime.wait(); }, [] {});
  runtime.spawn(weir::inout(after), [&] { ++after; });
  runtime.wait();
  require(first && after == 2, "parts that throw");
}

void blocks(weir::Runtime& runtime) {
  weir::Array<float, 2> tiles(runtime, {30, 50}, {20, 20}, "tiles");
  std::vector<float> own(400, 1);
  auto adopted = weir::Block<float>::adopt(runtime, own.data(), own.size(), "adopted");
  float sum = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      runtime.spawn(weir::out(tiles.tile(i, j)), weir::in(adopted),
                    [](weir::View2D<float> t, std::span<const float> a) {
                      for (std::size_t r = 0; r < t.rows(); ++r)
                        std::memcpy(t.row(r), a.data(), t.cols() * sizeof(float));
                    });
      runtime.spawn(weir::in(tiles.tile(i, j)), weir::inout(sum), [&](weir::View2D<const float> t, float& s) {
        for (std::size_t r = 0; r < t.rows(); ++r)
          for (std::size_t c = 0; c < t.cols(); ++c) s += t(r, c);
      });
    }
  }
  runtime.wait();
  adopted.flush();
  require(sum == 1500, "blocks");
}

// What it has begun elsewhere touches its items, after its function has returned.
void ends_later(weir::Runtime& runtime) {
  std::vector<int> values(1000);
  long sum = 0;
  std::thread device;
  runtime.spawn(weir::out(values), [&](std::span<int> data) {
    device = std::thread([data, completion = weir::end_later()]() mutable {
      std::iota(data.begin(), data.end(), 0);
      completion.complete();
    });
  });
  runtime.spawn(weir::in(values), weir::inout(sum), [&] { sum = std::accumulate(values.begin(), values.end(), 0L); });
  runtime.wait();
  device.join();
  require(sum == 499500, "a task that ends later");
}

}  // namespace

int main() {
  weir::Runtime runtime;
  neighbours(runtime);
  ranges_of_items(runtime);
  memory_used_again(runtime);
  system_calls(runtime);
  modes(runtime);
  children(runtime);
  exceptions(runtime);
  threads(runtime);
  loops(runtime);
  parts(runtime);
  blocks(runtime);
  ends_later(runtime);
  std::puts("all right");
}
