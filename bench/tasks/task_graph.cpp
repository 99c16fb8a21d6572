// SPDX-License-Identifier: Apache-2.0

#include "bench/tasks/task_graph.hpp"

#include <algorithm>
#include <memory>

#include "bench/tasks/fresh_memory.hpp"
#include "bench/tasks/kernel.hpp"
#include "bench/tasks/mix.hpp"

namespace weir::bench {

namespace {

using Readers = std::vector<std::vector<std::int16_t>>;

// Rows of cells. Tasks without an order between them cannot take turns with a cell.
int fields_of(const Grid& grid, Memory memory) noexcept {
  const bool take_turns = memory == Memory::used_again && grid.pattern != Pattern::trivial;
  return take_turns ? std::min(kCellsOfColumn, grid.steps) : grid.steps;
}

// In a packed failure: that there is one, and what stands in place of an input that is wrong.
constexpr std::uint64_t kFailed = std::uint64_t{1} << 63;
constexpr int kRanTwice = 0xffff;

std::uint64_t checksum_of(int step, int column) noexcept {
  return mix((std::uint64_t(std::uint32_t(step)) << 32) | std::uint32_t(column));
}

std::string task_name(int step, int column) {
  return "task (step " + std::to_string(step) + ", column " + std::to_string(column) + ")";
}

bool contains(const std::vector<std::int16_t>& columns, int column) noexcept {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

}  // namespace

TaskGraph::TaskGraph(const Grid& grid, Memory memory)
    : grid_(grid),
      memory_(memory),
      fields_(fields_of(grid, memory)),
      cell_count_(std::size_t(fields_) * std::size_t(grid.width)),
      counts_(std::make_unique<Count[]>(kCounts)) {
  make_rows();
  if (memory == Memory::used_again) cells_ = new Cell[cell_count_];
}

TaskGraph::~TaskGraph() { release(); }

void TaskGraph::release() noexcept {
  if (memory_ == Memory::used_again) {
    delete[] cells_;
  } else if (cells_ != nullptr) {
    drop_fresh_memory(reinterpret_cast<std::byte*>(cells_), cell_count_ * sizeof(Cell));
  }
  cells_ = nullptr;
}

// A row overwrites cells of earlier ones, so rows are alike only where these are alike, too.
void TaskGraph::make_rows() {
  const auto [first, period] = repetition_of(grid_);
  const int alike_from = std::min(grid_.steps, first + kCellsOfColumn);
  std::int64_t tasks = 0;
  for (int step = 0; step < grid_.steps; ++step) {
    Row row{columns_at(grid_, step), 0, std::size_t(step % fields_) * std::size_t(grid_.width), tasks};
    if (step < alike_from + period) {
      row.entry = std::uint32_t(step * grid_.width);
      make_lists(step);
    } else {
      row.entry = rows_[std::size_t(step - period)].entry;
    }
    tasks += row.columns.count;
    rows_.push_back(row);
  }
  rows_.push_back({{}, 0, 0, tasks});
}

void TaskGraph::make_lists(int step) {
  const Columns row = columns_at(grid_, step);
  const bool overwrites = step >= fields_;
  const Readers readers = overwrites ? readers_in(step - 1) : Readers();
  for (int column = 0; column < grid_.width; ++column) {
    const bool exists = row.contains(column);
    inputs_.append(exists ? inputs_of(grid_, step, column) : std::vector<std::int16_t>());
    users_.append(exists && overwrites ? find_users(step, column, readers[std::size_t(column)])
                                       : std::vector<Earlier>());
  }
}

// For each column of the row before `step`: the tasks of row `step` that read it.
Readers TaskGraph::readers_in(int step) const {
  Readers readers(std::size_t(grid_.width));
  const Columns row = columns_at(grid_, step);
  for (int reader = row.first; reader < row.end(); ++reader) {
    for (const int column : inputs_of(grid_, step, reader))
      readers[std::size_t(column)].push_back(std::int16_t(reader));
  }
  return readers;
}

// A task that reads the cell comes after the one that wrote it, which matters itself only when nothing reads it.
std::vector<TaskGraph::Earlier> TaskGraph::find_users(int step, int column,
                                                      const std::vector<std::int16_t>& readers) const {
  static_assert(kCellsOfColumn == 2, "the readers are in the row before");
  std::vector<Earlier> users;
  if (!columns_at(grid_, step - kCellsOfColumn).contains(column)) return users;
  const auto inputs = inputs_of(grid_, step, column);
  for (const std::int16_t reader : readers) {
    if (!contains(inputs, reader)) users.push_back({1, reader});
  }
  const auto reads_it = [&](int input) { return contains(inputs_of(grid_, step - 1, input), column); };
  if (readers.empty() && std::none_of(inputs.begin(), inputs.end(), reads_it)) {
    users.push_back({kCellsOfColumn, std::int16_t(column)});
  }
  return users;
}

void TaskGraph::reset(std::int64_t iterations) {
  iterations_ = iterations;
  if (memory_ == Memory::fresh) {
    release();
    cells_ = reinterpret_cast<Cell*>(take_fresh_memory(cell_count_ * sizeof(Cell)));
  }
  std::uninitialized_fill_n(cells_, cell_count_, Cell{});
  for (std::size_t i = 0; i < kCounts; ++i) counts_[i].executions = 0;
  failure_.store(0);
}

void TaskGraph::count_execution() noexcept {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t self = threads.fetch_add(1, std::memory_order_relaxed) % kCounts;
  counts_[self].executions.fetch_add(1, std::memory_order_relaxed);
}

void TaskGraph::execute(int step, int column) noexcept {
  execute_on(step, column, cell(step, column), [&](std::size_t, int c) -> const Cell& { return cell(step - 1, c); });
}

void TaskGraph::execute(int step, int column, std::span<const Cell* const> inputs, Cell& own) noexcept {
  execute_on(step, column, own, [&](std::size_t i, int) -> const Cell& { return *inputs[i]; });
}

// input(place in inputs(), column): its cell.
template <class Input>
void TaskGraph::execute_on(int step, int column, Cell& own, Input&& input_at) noexcept {
  count_execution();
  if (own.step == step) [[unlikely]]
    fail(step, column, kRanTwice);
  std::uint64_t checksum = checksum_of(step, column);
  double seed = 1;
  std::size_t place = 0;
  for (const int c : inputs(step, column)) {
    const Cell& input = input_at(place++, c);
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

const Cell& TaskGraph::left_by(int step, int column) const noexcept {
  return cells_[rows_[std::size_t(step)].first_cell + std::size_t(column)];
}

Columns TaskGraph::common(int step, const Columns& own) const noexcept {
  const Columns row = columns(step);
  const int first = std::max(row.first, own.first);
  return {first, std::max(0, std::min(row.end(), own.end()) - first)};
}

// Of the rows whose cells nothing has overwritten. What others left was seen by its readers.
std::string TaskGraph::missing(const Columns& own) const {
  for (int step = grid_.steps - fields_; step < grid_.steps; ++step) {
    const Columns row = common(step, own);
    for (int column = row.first; column < row.end(); ++column) {
      const Cell& left = left_by(step, column);
      if (left.step != step || left.column != column) return task_name(step, column) + " did not run";
    }
  }
  return {};
}

std::string TaskGraph::wrong_checksum(const Columns& own) const {
  std::vector<std::uint64_t> checksums(std::size_t(grid_.width)), above;
  for (int step = 0; step < grid_.steps; ++step) {
    above = checksums;
    const Columns row = columns(step);
    for (int column = row.first; column < row.end(); ++column) {
      std::uint64_t checksum = checksum_of(step, column);
      for (const int c : inputs(step, column)) checksum += mix(above[std::size_t(c)]);
      checksums[std::size_t(column)] = checksum;
      if (step < grid_.steps - fields_ || !own.contains(column)) continue;
      if (left_by(step, column).checksum != checksum)
        return task_name(step, column) + " has a wrong checksum: a task it depends on read other data";
    }
  }
  return {};
}

std::string TaskGraph::verify(const Columns& own) const {
  if (const std::uint64_t packed = failure_.load(); packed != 0) {
    const int step = int((packed & ~kFailed) >> 32);
    const std::string task = task_name(step, int(packed >> 16) & 0xffff);
    const int input = int(packed & 0xffff);
    if (input == kRanTwice) return task + " ran twice";
    return task + " ran before " + task_name(step - 1, input) + ", which it reads, or after that cell was overwritten";
  }
  if (std::string task = missing(own); !task.empty()) return task;
  std::int64_t executions = 0, expected = 0;
  for (std::size_t i = 0; i < kCounts; ++i) executions += counts_[i].executions.load();
  for (int step = 0; step < grid_.steps; ++step) expected += common(step, own).count;
  if (executions != expected) return std::to_string(executions) + " tasks ran, not " + std::to_string(expected);
  return wrong_checksum(own);
}

}  // namespace weir::bench
