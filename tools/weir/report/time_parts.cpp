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
    case Doing::search:
    case Doing::ready: return;
  }
}

void add(TimeParts& parts, const Causes& causes) {
  parts.waiting_for_data += causes.data;
  parts.waiting_for_room += causes.room;
  parts.waiting_for_others += causes.others;
  parts.waiting_for_ranks += causes.ranks;
  parts.waiting_for_work += causes.work;
  parts.idle += causes.idle;
}

}  // namespace

std::vector<TimeParts> time_parts(const Trace& trace) {
  const SpanRows rows(trace);
  std::vector<TimeParts> result;
  struct Gaps {
    std::vector<Interval> when;
    std::vector<std::size_t> whose;  // index into result
  };
  std::vector<Gaps> of_process(trace.process_count());
  for (std::size_t track = 0; track < rows.size(); ++track) {
    if (!trace.has_row(track, rows[track].empty())) continue;
    TimeParts parts;
    parts.worker = trace.tracks[track].name;
    parts.domain = trace.tracks[track].domain;
    parts.process = trace.tracks[track].process;
    parts.is_guest = trace.is_guest(track);
    Gaps& gaps = of_process[parts.process];
    for (const Span& span : rows[track]) parts.tasks += span.doing == Doing::task ? 1 : 0;
    const auto [begin, end] = trace.presence(track, rows[track]);
    parts.left_early = trace.may_end_early(track) && end < trace.end;
    for_each_piece(rows[track], begin, end, [&](const Span* innermost, Ns from, Ns to) {
      add(parts, innermost, trace.is_own_thread(track), static_cast<double>(to - from));
      if (!without_work(innermost)) return;
      gaps.when.push_back({from, to});
      gaps.whose.push_back(result.size());
    });
    result.push_back(std::move(parts));
  }
  for (std::size_t process = 0; process < of_process.size(); ++process) {
    const Gaps& gaps = of_process[process];
    const WithoutWork without(trace, gaps.when, process);
    for (std::size_t i = 0; i < gaps.when.size(); ++i) add(result[gaps.whose[i]], without.causes(gaps.when[i]));
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
