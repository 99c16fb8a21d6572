// SPDX-License-Identifier: Apache-2.0

#include "time_parts.hpp"

#include "nesting.hpp"
#include "without_work.hpp"

namespace weir::tool::report {

namespace {

void add(TimeParts& parts, const Span* innermost, bool own_thread, double ns) {
  if (innermost == nullptr) {
    (own_thread ? parts.idle : parts.program) += ns;
    return;
  }
  switch (innermost->doing) {
    case Doing::task: parts.running += ns; return;
    case Doing::spawn: parts.analysing += ns; return;
    case Doing::stage: parts.moving += ns; return;
    case Doing::wait:
    case Doing::throttled: parts.scheduling += ns; return;
    case Doing::park: parts.slept += ns; return;
    case Doing::search: return;
  }
}

}  // namespace

std::vector<TimeParts> time_parts(const Trace& trace) {
  const SpanRows rows(trace);
  std::vector<TimeParts> result;
  std::vector<Interval> gaps;
  std::vector<std::size_t> whose;  // index into result
  for (std::size_t track = 0; track < rows.size(); ++track) {
    if (!trace.has_row(track, rows[track].empty())) continue;
    TimeParts parts;
    parts.worker = trace.tracks[track].name;
    parts.domain = trace.tracks[track].domain;
    for (const Span& span : rows[track]) parts.tasks += span.doing == Doing::task ? 1 : 0;
    for_each_piece(rows[track], trace.start, trace.end, [&](const Span* innermost, Ns from, Ns to) {
      add(parts, innermost, trace.is_own_thread(track), static_cast<double>(to - from));
      if (!without_work(innermost)) return;
      gaps.push_back({from, to});
      whose.push_back(result.size());
    });
    result.push_back(std::move(parts));
  }
  const WithoutWork without(trace, gaps);
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const Causes causes = without.causes(gaps[i]);
    TimeParts& parts = result[whose[i]];
    parts.waiting_for_data += causes.data;
    parts.waiting_for_room += causes.room;
    parts.waiting_for_others += causes.others;
    parts.waiting_for_work += causes.work;
    parts.idle += causes.idle;
  }
  return result;
}

std::vector<Ns> own_times(const Trace& trace) {
  std::vector<Ns> own(trace.tasks.size(), 0);
  const SpanRows rows(trace);
  for (const std::span<const Span> row : rows) {
    for_each_piece(row, trace.start, trace.end, [&](const Span* innermost, Ns from, Ns to) {
      if (innermost != nullptr && innermost->doing == Doing::task) own[innermost->task] += to - from;
    });
  }
  return own;
}

}  // namespace weir::tool::report
