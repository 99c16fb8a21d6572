// SPDX-License-Identifier: Apache-2.0

// Weir on threads: arrays are watched in blocks, and sections of them are footprints.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "apps/bddt/block_array.hpp"
#include "apps/bddt/task_clock.hpp"
#include "weir/weir.hpp"

namespace weir::apps::bddt {

template <Use kUse, class T>
auto footprint_of(const Item<kUse, Section<T>>& item) {
  if constexpr (kUse == Use::in) {
    return in(item.section);
  } else if constexpr (kUse == Use::out) {
    return out(item.section);
  } else {
    return inout(item.section);
  }
}

// A watched array with what keeps its memory.
template <class T>
class WatchedArray {
 public:
  WatchedArray(std::shared_ptr<void> memory, T* data, std::size_t rows, std::size_t cols, std::size_t block_rows,
               std::size_t block_cols)
      : memory_(std::move(memory)), watched_(new Watched<T>(data, rows, cols, cols, block_rows, block_cols)) {}

  T* data() const { return watched_->data(); }
  std::size_t stride() const { return watched_->stride(); }
  Section<T> tile(std::size_t row, std::size_t col, std::size_t rows, std::size_t cols) const {
    return watched_->tile(row, col, rows, cols);
  }

 private:
  std::shared_ptr<void> memory_;
  std::unique_ptr<Watched<T>> watched_;
};

class WeirTasks {
 public:
  // Options of the environment, but for the number of workers.
  explicit WeirTasks(int workers) : runtime_(options_of(workers)) {}
  static std::string about() { return "Weir, spawn() with footprints of watched arrays"; }

  template <class T>
  WatchedArray<T> array(std::size_t rows, std::size_t cols, std::size_t block_rows, std::size_t block_cols) {
    std::shared_ptr<std::byte> memory = zeroed_pages(rows * cols * sizeof(T));
    return {memory, reinterpret_cast<T*>(memory.get()), rows, cols, block_rows, block_cols};
  }
  template <class F, class... Items>
  void task(const char* name, F function, const Items&... items) {
    runtime_.spawn(footprint_of(items)..., weir::name(name), Clocked<F>{function});
  }
  template <class Body>
  void run(Body&& body) {
    body();
    runtime_.wait();
  }
  void begin_shares() { TaskClock::reset(); }
  static double analysis(double /*seconds*/, double making) { return making; }
  std::vector<Share> shares() const { return TaskClock::shares(static_cast<std::size_t>(runtime_.worker_count())); }

 private:
  static Options options_of(int workers) {
    Options options = Options::from_environment();
    options.workers = workers;
    return options;
  }

  Runtime runtime_;
};

}  // namespace weir::apps::bddt
