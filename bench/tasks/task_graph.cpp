#include "bench/tasks/task_graph.hpp"

#include <algorithm>

#include "bench/tasks/kernel.hpp"

namespace weir::bench {

const Inputs TaskGraph::kNone{};

namespace {

// Rows after which spread and random_nearest repeat, and the share of neighbours that random_nearest keeps.
constexpr int kVaryingPeriod = 3;
constexpr std::uint64_t kConnectedPercent = 25;

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
      runs_(std::make_unique<std::atomic<std::uint8_t>[]>(std::size_t(tasks()))) {
  for (int set = 0; set < period_; ++set) {
    for (int c = 0; c < shape.width; ++c) table_.push_back(inputs_of(shape.pattern, shape.width, set + period_, c));
  }
}

void TaskGraph::reset(std::int64_t iterations) noexcept {
  iterations_ = iterations;
  std::fill_n(cells_.get(), cell_count(), Cell{});
  for (std::int64_t i = 0; i < tasks(); ++i) runs_[std::size_t(i)].store(0, std::memory_order_relaxed);
  failure_.store(0);
}

void TaskGraph::execute(int step, int column) noexcept {
  runs_[std::size_t(column) * std::size_t(shape_.steps) + std::size_t(step)].fetch_add(1, std::memory_order_relaxed);
  std::uint64_t checksum = checksum_of(step, column);
  double seed = 1;
  for (const int c : inputs(step, column)) {
    const Cell& input = cell(step - 1, c);
    if (input.step != step - 1 || input.column != c) [[unlikely]] fail(step, column, c);
    checksum += mix(input.checksum);
    seed = input.value;
  }
  const double value = compute(iterations_, seed);
  cell(step, column) = {step, column, checksum, value};
}

void TaskGraph::fail(int step, int column, int input) noexcept {
  std::uint64_t none = 0;
  const std::uint64_t packed = (std::uint64_t(step) << 32) | (std::uint64_t(column) << 16) | std::uint64_t(input);
  failure_.compare_exchange_strong(none, packed);
}

std::string TaskGraph::verify() const {
  for (int column = 0; column < shape_.width; ++column) {
    for (int step = 0; step < shape_.steps; ++step) {
      const int runs = runs_[std::size_t(column) * std::size_t(shape_.steps) + std::size_t(step)].load();
      if (runs != 1) return task_name(step, column) + " ran " + std::to_string(runs) + " times";
    }
  }
  if (const std::uint64_t packed = failure_.load(); packed != 0) {
    const int step = int(packed >> 32);
    return task_name(step, int(packed >> 16) & 0xffff) + " ran before " +
           task_name(step - 1, int(packed & 0xffff)) + ", which it reads, or after that cell was overwritten";
  }
  std::vector<std::uint64_t> row(std::size_t(shape_.width)), above;
  for (int step = 0; step < shape_.steps; ++step) {
    above = row;
    for (int column = 0; column < shape_.width; ++column) {
      std::uint64_t checksum = checksum_of(step, column);
      for (const int c : inputs(step, column)) checksum += mix(above[std::size_t(c)]);
      row[std::size_t(column)] = checksum;
    }
  }
  const std::size_t last = std::size_t((shape_.steps - 1) % fields_) * std::size_t(shape_.width);
  for (int column = 0; column < shape_.width; ++column) {
    if (cells_[last + std::size_t(column)].checksum != row[std::size_t(column)]) {
      return task_name(shape_.steps - 1, column) + " has a wrong checksum: one of the tasks it depends on read other data";
    }
  }
  return {};
}

}  // namespace weir::bench
