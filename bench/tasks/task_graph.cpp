// SPDX-License-Identifier: Apache-2.0

#include "bench/tasks/task_graph.hpp"

#include <algorithm>

#include "bench/tasks/kernel.hpp"

namespace weir::bench {

const Inputs TaskGraph::kNone{};

namespace {

// Rows after which spread and random_nearest repeat, and the share of neighbours that random_nearest keeps.
constexpr int kVaryingPeriod = 3;
constexpr std::uint64_t kConnectedPercent = 25;

// In a packed failure: that there is one, and what stands in place of an input that is wrong.
constexpr std::uint64_t kFailed = std::uint64_t{1} << 63;
constexpr int kRanTwice = 0xffff;

constexpr std::uint64_t mix(std::uint64_t x) noexcept {  // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

int levels(int width) noexcept {
  int count = 0;
  while ((1 << count) < width) ++count;
  return std::max(count, 1);
}

bool contains(const Inputs& inputs, int column) noexcept {
  return std::find(inputs.begin(), inputs.end(), column) != inputs.end();
}

void add(Inputs& inputs, int column, int width) noexcept {
  if (column < 0 || column >= width || contains(inputs, column)) return;
  inputs.columns[std::size_t(inputs.count++)] = std::int16_t(column);
}

void add_window(Inputs& inputs, int column, int radius, int width) noexcept {
  for (int c = column - radius; c <= column + radius; ++c) add(inputs, c, width);
}

bool connected(int set, int from, int to) noexcept {
  const auto key = (std::uint64_t(set) << 40) ^ (std::uint64_t(from) << 20) ^ std::uint64_t(to);
  return from == to || mix(key) % 100 < kConnectedPercent;
}

// Cells can be used again after two rows only where "reads" is symmetric and the same in every row.
bool alternates(Pattern pattern) noexcept { return pattern == Pattern::stencil_1d || pattern == Pattern::nearest; }

std::uint64_t checksum_of(int step, int column) noexcept {
  return mix((std::uint64_t(std::uint32_t(step)) << 32) | std::uint32_t(column));
}

std::string task_name(int step, int column) {
  return "task (step " + std::to_string(step) + ", column " + std::to_string(column) + ")";
}

}  // namespace

int pattern_period(Pattern pattern, int width) noexcept {
  switch (pattern) {
    case Pattern::fft: return levels(width);
    case Pattern::spread:
    case Pattern::random_nearest: return kVaryingPeriod;
    default: return 1;
  }
}

Inputs inputs_of(Pattern pattern, int width, int step, int column) noexcept {
  Inputs inputs;
  if (step == 0) return inputs;
  const int set = step % pattern_period(pattern, width);
  switch (pattern) {
    case Pattern::trivial: break;
    case Pattern::stencil_1d: add_window(inputs, column, 1, width); break;
    case Pattern::nearest: add_window(inputs, column, kRadix / 2, width); break;
    case Pattern::spread:
      for (int i = 0; i < kRadix; ++i) add(inputs, (column + i * width / kRadix + (i > 0 ? set : 0)) % width, width);
      break;
    case Pattern::fft:
      add(inputs, column - (1 << set), width);
      add(inputs, column, width);
      add(inputs, column + (1 << set), width);
      break;
    case Pattern::random_nearest:
      for (int c = column - kRadix / 2; c <= column + kRadix / 2; ++c) {
        if (connected(set, c, column)) add(inputs, c, width);
      }
      break;
  }
  return inputs;
}

TaskGraph::TaskGraph(const Shape& shape)
    : shape_(shape),
      period_(pattern_period(shape.pattern, shape.width)),
      fields_(alternates(shape.pattern) ? std::min(2, shape.steps) : shape.steps),
      cells_(std::make_unique<Cell[]>(cell_count())),
      counts_(std::make_unique<Count[]>(kCounts)) {
  for (int set = 0; set < period_; ++set) {
    for (int c = 0; c < shape.width; ++c) table_.push_back(inputs_of(shape.pattern, shape.width, set + period_, c));
  }
}

void TaskGraph::reset(std::int64_t iterations) noexcept {
  iterations_ = iterations;
  std::fill_n(cells_.get(), cell_count(), Cell{});
  for (std::size_t i = 0; i < kCounts; ++i) counts_[i].executions = 0;
  failure_.store(0);
}

void TaskGraph::count_execution() noexcept {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t self = threads.fetch_add(1, std::memory_order_relaxed) % kCounts;
  counts_[self].executions.fetch_add(1, std::memory_order_relaxed);
}

void TaskGraph::execute(int step, int column) noexcept {
  count_execution();
  Cell& own = cell(step, column);
  if (own.step == step) [[unlikely]]
    fail(step, column, kRanTwice);
  std::uint64_t checksum = checksum_of(step, column);
  double seed = 1;
  for (const int c : inputs(step, column)) {
    const Cell& input = cell(step - 1, c);
    if (input.step != step - 1 || input.column != c) [[unlikely]]
      fail(step, column, c);
    checksum += mix(input.checksum);
    seed = input.value;
  }
  const double value = compute(iterations_, seed);
  own = {step, column, checksum, value};
}

void TaskGraph::fail(int step, int column, int input) noexcept {
  std::uint64_t none = 0;
  const std::uint64_t packed =
      kFailed | (std::uint64_t(step) << 32) | (std::uint64_t(column) << 16) | std::uint64_t(input);
  failure_.compare_exchange_strong(none, packed);
}

// Of the rows whose cells still exist; those before were seen by their readers.
std::string TaskGraph::missing() const {
  for (int step = shape_.steps - fields_; step < shape_.steps; ++step) {
    for (int column = 0; column < shape_.width; ++column) {
      const Cell& left = cells_[std::size_t(step % fields_ * shape_.width + column)];
      if (left.step != step || left.column != column) return task_name(step, column) + " did not run";
    }
  }
  return {};
}

std::string TaskGraph::wrong_checksum() const {
  std::vector<std::uint64_t> row(std::size_t(shape_.width)), above;
  for (int step = 0; step < shape_.steps; ++step) {
    above = row;
    for (int column = 0; column < shape_.width; ++column) {
      std::uint64_t checksum = checksum_of(step, column);
      for (const int c : inputs(step, column)) checksum += mix(above[std::size_t(c)]);
      row[std::size_t(column)] = checksum;
    }
  }
  const int last = (shape_.steps - 1) % fields_ * shape_.width;
  for (int column = 0; column < shape_.width; ++column) {
    if (cells_[std::size_t(last + column)].checksum != row[std::size_t(column)]) {
      return task_name(shape_.steps - 1, column) + " has a wrong checksum: a task it depends on read other data";
    }
  }
  return {};
}

std::string TaskGraph::verify() const {
  if (const std::uint64_t packed = failure_.load(); packed != 0) {
    const int step = int((packed & ~kFailed) >> 32);
    const std::string task = task_name(step, int(packed >> 16) & 0xffff);
    const int input = int(packed & 0xffff);
    if (input == kRanTwice) return task + " ran twice";
    return task + " ran before " + task_name(step - 1, input) + ", which it reads, or after that cell was overwritten";
  }
  if (std::string task = missing(); !task.empty()) return task;
  std::int64_t executions = 0;
  for (std::size_t i = 0; i < kCounts; ++i) executions += counts_[i].executions.load();
  if (executions != tasks()) return std::to_string(executions) + " tasks ran, not " + std::to_string(tasks());
  return wrong_checksum();
}

}  // namespace weir::bench
