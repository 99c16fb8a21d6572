// Goes through the intervals of one row in the order of time: what is innermost, from when to when.
#pragma once

#include <algorithm>
#include <vector>

#include "trace.hpp"

namespace weir::tool::report {

// By track, then by start; an outer interval before the inner ones that start with it.
inline std::vector<std::vector<Span>> spans_by_track(const Trace& trace) {
  std::vector<std::vector<Span>> rows(trace.tracks.size());
  for (const Span& span : trace.spans) {
    if (span.track < rows.size()) rows[span.track].push_back(span);
  }
  for (auto& row : rows) {
    std::stable_sort(row.begin(), row.end(), [](const Span& a, const Span& b) {
      return a.start != b.start ? a.start < b.start : a.end > b.end;
    });
  }
  return rows;
}

// Calls piece(innermost or null, from, to) for pieces that cover [start, end) without gaps.
template <class Piece>
void for_each_piece(const std::vector<Span>& row, Ns start, Ns end, Piece&& piece) {
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
