// SPDX-License-Identifier: Apache-2.0

// Goes through the intervals of one row in the order of time: what is innermost, from when to when.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "trace.hpp"

namespace weir::tool::report {

// An outer interval before the inner ones that start with it.
inline bool comes_before(const Span& a, const Span& b) noexcept {
  if (a.track != b.track) return a.track < b.track;
  return a.start != b.start ? a.start < b.start : a.end > b.end;
}

// The spans of each track in the order of time. Those of a trace that was read lie so already, and are not copied: it
// must outlive this.
class SpanRows {
 public:
  explicit SpanRows(const Trace& trace) : rows_(trace.tracks.size()) {
    std::span<const Span> all = trace.spans;
    if (!std::is_sorted(all.begin(), all.end(), &comes_before)) {
      copy_ = trace.spans;
      std::stable_sort(copy_.begin(), copy_.end(), &comes_before);
      all = copy_;
    }
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
      while (end < all.size() && all[end].track == all[begin].track) ++end;
      if (all[begin].track < rows_.size()) rows_[all[begin].track] = all.subspan(begin, end - begin);
    }
  }
  SpanRows(const SpanRows&) = delete;
  SpanRows& operator=(const SpanRows&) = delete;

  std::size_t size() const noexcept { return rows_.size(); }
  std::span<const Span> operator[](std::size_t track) const noexcept { return rows_[track]; }
  auto begin() const noexcept { return rows_.begin(); }
  auto end() const noexcept { return rows_.end(); }

 private:
  std::vector<Span> copy_;
  std::vector<std::span<const Span>> rows_;
};

// What a worker that runs nothing does: it looks for tasks, or sleeps. `innermost`: as for_each_piece() gives it.
inline bool without_work(const Span* innermost) noexcept {
  return innermost != nullptr && (innermost->doing == Doing::search || innermost->doing == Doing::park);
}

// Calls piece(innermost or null, from, to) for pieces that cover [start, end) without gaps.
template <class Piece>
void for_each_piece(std::span<const Span> row, Ns start, Ns end, Piece&& piece) {
  std::vector<const Span*> open;
  Ns at = start;
  const auto advance = [&](Ns to) {
    to = std::min(to, end);
    if (to > at) piece(open.empty() ? nullptr : open.back(), at, to);
    at = std::max(at, to);
  };
  for (const Span& span : row) {
    while (!open.empty() && open.back()->end <= span.start) {
      advance(open.back()->end);
      open.pop_back();
    }
    advance(span.start);
    open.push_back(&span);
  }
  while (!open.empty()) {
    advance(open.back()->end);
    open.pop_back();
  }
  advance(end);
}

}  // namespace weir::tool::report
