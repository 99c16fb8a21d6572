// SPDX-License-Identifier: Apache-2.0

#include "checker/judge/order.hpp"

#include <algorithm>

namespace weir::checker {

// Backward from `to`, leaving out what was over before `from` was.
bool Order::comes_before(Segment* from, Segment* to, bool by_turns) {
  if (from == to) return true;
  const std::uint64_t search = ++searches_;
  stack_.clear();
  stack_.push_back(to);
  const auto is_met = [&](Segment* before) {
    if (before == from) return true;
    if (before->seen == search || before->last < from->last) return false;
    before->seen = search;
    stack_.push_back(before);
    return false;
  };
  while (!stack_.empty()) {
    Segment* const at = stack_.back();
    stack_.pop_back();
    if (std::any_of(at->before.begin(), at->before.end(), is_met)) return true;
    if (by_turns && at->turn != nullptr && is_met(at->turn)) return true;
  }
  return false;
}

std::size_t Shadow::cut(Cells& cells, std::uint16_t first, std::uint16_t last) {
  auto at = std::partition_point(cells.begin(), cells.end(), [&](const Cell& cell) { return cell.last <= first; });
  std::size_t index = static_cast<std::size_t>(at - cells.begin());
  if (index < cells.size() && cells[index].first < first) {
    Cell upper{first, cells[index].last, {cells[index].entries, memory_}};
    cells[index].last = first;
    cells.insert(cells.begin() + static_cast<std::ptrdiff_t>(++index), std::move(upper));
  }
  const std::size_t result = index;
  std::uint16_t next = first;
  while (next < last) {
    if (index == cells.size() || cells[index].first > next) {
      const std::uint16_t end = index == cells.size() ? last : std::min(last, cells[index].first);
      cells.insert(cells.begin() + static_cast<std::ptrdiff_t>(index),
                   Cell{next, end, std::pmr::vector<Entry>(memory_)});
    } else if (cells[index].last > last) {
      Cell upper{last, cells[index].last, {cells[index].entries, memory_}};
      cells[index].last = last;
      cells.insert(cells.begin() + static_cast<std::ptrdiff_t>(index + 1), std::move(upper));
    }
    next = cells[index++].last;
  }
  return result;
}

}  // namespace weir::checker
