// SPDX-License-Identifier: Apache-2.0

#include "oracle.hpp"

#include <algorithm>

namespace weir::deps::test {

namespace {

constexpr detail::Reduction kReductions[2] = {};

// Whether two accesses to one byte need an order.
bool conflict(const Access& a, const Access& b) {
  if (a.mode != b.mode) return true;
  return a.mode == Mode::out || a.mode == Mode::inout || a.mode == Mode::commutative || a.mode == Mode::reduce;
}

}  // namespace

RandomCase::RandomCase(std::uint64_t seed, const CaseShape& shape)
    : shape_(shape), random_(seed), map_(shape.join_from) {
  base_ = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(0x100000 + 8 * below(64)));
  if (shape_.watched_percent > 0) add_array();
}

void RandomCase::add_array() {
  const int rows = percent(40) ? 1 : 1 + below(6);
  const int columns = 1 + below(rows == 1 ? 128 : 40);
  const int stride = columns + (percent(50) ? 0 : below(12));
  const int start = below(kBytes - (rows - 1) * std::min(stride, 40) - columns + 1);
  const int room = rows == 1 ? columns : (kBytes - start - columns) / (rows - 1);
  const int real_stride = std::min(stride, std::max(columns, room));
  if (start + (rows - 1) * real_stride + columns > kBytes) return;
  const int block_rows = 1 + below(rows), block_columns = 1 + below(columns);
  auto size = [](int n) { return static_cast<std::size_t>(n); };
  auto& array = arrays_.emplace_back();
  array.watched = std::make_unique<Watched<std::byte>>(at(start), size(rows), size(columns), size(real_stride),
                                                       size(block_rows), size(block_columns));
  for (int r = 0; r < rows; r += block_rows)
    for (int c = 0; c < columns; c += block_columns)
      array.blocks.push_back(bytes_of({at(start + r * real_stride + c), size(std::min(block_columns, columns - c)),
                                       size(std::min(block_rows, rows - r)), size(real_stride)}));
}

Mode RandomCase::random_mode() {
  if (percent(shape_.readers_percent)) return Mode::in;
  for (;;) {
    const Mode mode = static_cast<Mode>(below(6));
    if (mode == Mode::reduce && !shape_.reductions) continue;
    if (mode == Mode::commutative && !shape_.commutative) continue;
    return mode;
  }
}

Access RandomCase::random_section() {
  const Array& array =
      arrays_[arrays_.size() - 1 -
              static_cast<std::size_t>(below(static_cast<int>(std::min<std::size_t>(arrays_.size(), 3))))];
  const auto& w = *array.watched;
  const int row = below(static_cast<int>(w.rows())), column = below(static_cast<int>(w.cols()));
  const int rows = 1 + below(static_cast<int>(w.rows()) - row),
            columns = 1 + below(static_cast<int>(w.cols()) - column);
  auto size = [](int n) { return static_cast<std::size_t>(n); };
  return inout(w.tile(size(row), size(column), size(rows), size(columns))).access;
}

// Mostly from a small set, so that the same memory is named again.
Access RandomCase::random_memory() {
  auto size = [](int n) { return static_cast<std::size_t>(n); };
  if (percent(60)) {
    const int bytes = percent(50) ? 8 : 16;
    return inout(at(bytes * below(kBytes / bytes)), size(bytes)).access;
  }
  if (percent(60)) {
    const int start = below(kBytes);
    return inout(at(start), size(below(std::min(kBytes - start, 64) + 1))).access;
  }
  const int rows = 1 + below(4), columns = 1 + below(12), stride = columns + below(10);
  const int start = below(kBytes - (rows - 1) * stride - columns + 1);
  Access access = inout(at(start), size(columns)).access;
  access.region.rows = size(rows);
  access.region.stride_bytes = size(stride);
  return access;
}

// One of four streams of small pieces, three growing and one falling, each over a quarter of the memory and then from
// its start again; sometimes a piece anywhere, across what the streams have named.
Access RandomCase::new_memory() {
  constexpr int kQuarter = (kAllBytes - kBytes) / 4;
  const int bytes = 1 + below(3);
  if (percent(10)) return inout(at(kBytes + below(4 * kQuarter - bytes)), static_cast<std::size_t>(bytes)).access;
  const int stream = below(4);
  int& next = next_[stream];
  if (next + bytes > kQuarter) next = 0;
  const int first = stream == 3 ? kQuarter - next - bytes : next;
  next += bytes + (percent(20) ? 1 : 0);
  return inout(at(kBytes + stream * kQuarter + first), static_cast<std::size_t>(bytes)).access;
}

Access RandomCase::random_access() {
  const bool section = !arrays_.empty() && percent(shape_.watched_percent);
  Access access = section ? random_section() : percent(shape_.new_percent) ? new_memory() : random_memory();
  access.mode = random_mode();
  if (access.mode == Mode::reduce) {
    access.reduction = &kReductions[percent(80) ? 0 : 1];
    access.ordered = percent(20);
  }
  return access;
}

void RandomCase::spawn() {
  std::vector<Access> footprint(static_cast<std::size_t>(1 + (percent(50) ? 0 : below(4))));
  for (Access& access : footprint) access = random_access();
  const NodeRef self = graph_.task();
  map_.analyse(graph_, self, footprint);
  Task task{graph_.node(self).index, {}};
  std::size_t reduction = 0;
  for (const Access& access : footprint) {
    if (access.region.row_bytes == 0) continue;
    const bool reduces = access.mode == Mode::reduce;
    const int end = reduces ? graph_.node(self).groups.at(reduction++) : task.node;
    task.items.push_back({access, bytes_of(access.region), end});
  }
  tasks_.push_back(std::move(task));
}

void RandomCase::finish_some(int count) {
  for (int tries = 0; tries < 4 * count && graph_.size() > 0; ++tries) {
    const int node = below(graph_.size());
    if (graph_.ready(node)) graph_.finish(node);
  }
}

std::string RandomCase::finish_all() {
  map_.close_reductions(graph_);
  for (bool progress = true; progress;) {
    progress = false;
    for (int node = 0; node < graph_.size(); ++node) {
      if (!graph_.ready(node)) continue;
      graph_.finish(node);
      progress = true;
    }
  }
  for (int node = 0; node < graph_.size(); ++node)
    if (!graph_.node(node).finished) return "node " + std::to_string(node) + " can never run";
  return {};
}

std::string RandomCase::run() {
  std::string wrong;
  while (static_cast<int>(tasks_.size()) < shape_.tasks && wrong.empty()) {
    if (percent(shape_.finish_percent)) finish_some(1 + below(8));
    if (percent(2)) map_.close_reductions(graph_);
    if (shape_.watched_percent > 0 && percent(5)) add_array();
    if (percent(2)) {
      wrong = finish_all();
      percent(50) ? map_.clear(graph_) : map_.reset(graph_);
    }
    spawn();
  }
  if (wrong.empty()) wrong = finish_all();
  map_.reset(graph_);
  if (wrong.empty() && graph_.locks_alive != 0) wrong = "locks are left";
  if (wrong.empty() && graph_.misuses != 0) wrong = "a join was sealed twice, or a closed reduction joined";
  if (wrong.empty()) wrong = judge_pairs();
  return wrong.empty() ? judge_edges() : wrong;
}

RandomCase::Bytes RandomCase::bytes_of(const Region& region) const {
  Bytes bytes;
  const auto start = static_cast<std::size_t>(static_cast<const std::byte*>(region.base) - base_);
  for (std::size_t row = 0; row < region.rows; ++row)
    for (std::size_t i = 0; i < region.row_bytes; ++i) bytes.set(start + row * region.stride_bytes + i);
  return bytes;
}

// Fills before_[node].
std::string RandomCase::find_order(int node) {
  const auto index = static_cast<std::size_t>(node);
  if (state_[index] == 2) return {};
  if (state_[index] == 1) return "node " + std::to_string(node) + " comes before itself";
  state_[index] = 1;
  for (const int earlier : graph_.node(node).finished_by) before_[index].set(static_cast<std::size_t>(earlier));
  for (const int earlier : graph_.node(node).before) {
    if (std::string wrong = find_order(earlier); !wrong.empty()) return wrong;
    before_[index].set(static_cast<std::size_t>(earlier));
    before_[index] |= before_[static_cast<std::size_t>(earlier)];
  }
  state_[index] = 2;
  return {};
}

std::string RandomCase::judge_pairs() {
  if (graph_.size() > kNodes) return "the case is too large for the judge";
  before_.assign(static_cast<std::size_t>(graph_.size()), {});
  state_.assign(static_cast<std::size_t>(graph_.size()), 0);
  for (int node = 0; node < graph_.size(); ++node)
    if (std::string wrong = find_order(node); !wrong.empty()) return wrong;
  for (std::size_t later = 0; later < tasks_.size(); ++later)
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      for (const Item& a : tasks_[earlier].items)
        for (const Item& b : tasks_[later].items)
          if (std::string wrong = judge_pair(tasks_[earlier], a, tasks_[later], b); !wrong.empty()) return wrong;
  return {};
}

std::string RandomCase::judge_pair(const Task& earlier, const Item& a, const Task& later, const Item& b) const {
  if (!conflict(a.access, b.access) || a.end_node == b.end_node) return {};
  if (before_[static_cast<std::size_t>(b.end_node)].test(static_cast<std::size_t>(a.end_node))) return {};
  if ((a.bytes & b.bytes).none()) return {};  // the longest of these questions
  if (a.access.mode == Mode::commutative && b.access.mode == Mode::commutative) {
    const auto& held = graph_.node(earlier.node).locks;
    const auto& wanted = graph_.node(later.node).locks;
    if (std::any_of(held.begin(), held.end(), [&](int lock) { return wanted.count(lock) != 0; })) return {};
  }
  return "tasks " + std::to_string(earlier.node) + " and " + std::to_string(later.node) + " conflict and have no order";
}

// Some byte, or some block of an array, is in both.
bool RandomCase::near(const Item& a, const Item& b) const {
  if ((a.bytes & b.bytes).any()) return true;
  for (const Array& array : arrays_)
    for (const Bytes& block : array.blocks)
      if ((a.bytes & block).any() && (b.bytes & block).any()) return true;
  return false;
}

// What an edge from `node` stands for: the tasks and combining nodes that its joins were folded from.
void RandomCase::sources(int node, std::vector<int>& found) const {
  if (graph_.node(node).what != FakeGraph::What::join) {
    found.push_back(node);
    return;
  }
  for (const int before : graph_.node(node).before) sources(before, found);
}

std::string RandomCase::judge_edges() {
  stands_for_.assign(static_cast<std::size_t>(graph_.size()), {});
  for (const Task& task : tasks_)
    for (const Item& item : task.items) {
      stands_for_[static_cast<std::size_t>(task.node)].push_back(&item);
      if (item.end_node != task.node) stands_for_[static_cast<std::size_t>(item.end_node)].push_back(&item);
    }
  for (int node = 0; node < graph_.size(); ++node) {
    if (graph_.node(node).what == FakeGraph::What::join) continue;
    std::vector<int> found;
    for (const int before : graph_.node(node).before) sources(before, found);
    for (const int before : found)
      if (!justified(before, node))
        return "the edge " + std::to_string(before) + " -> " + std::to_string(node) + " has no reason";
  }
  return {};
}

bool RandomCase::justified(int before, int after) const {
  for (const Item* a : stands_for(before))
    for (const Item* b : stands_for(after)) {
      if (a->end_node == after) return true;  // a member of the reduction
      if (a->end_node == b->end_node) continue;
      const bool commutative = a->access.mode == Mode::commutative && b->access.mode == Mode::commutative;
      // Order in place of exclusion only where blocks inherit from memory that was not watched.
      if (conflict(a->access, b->access) && (!commutative || !arrays_.empty()) && near(*a, *b)) return true;
    }
  return false;
}

}  // namespace weir::deps::test
