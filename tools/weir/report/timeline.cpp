// SPDX-License-Identifier: Apache-2.0

#include "timeline.hpp"

#include <utility>

#include "nesting.hpp"
#include "without_work.hpp"

namespace weir::tool::report {

namespace {

Piece piece_of(const Span* innermost, bool own_thread, Ns ns) {
  if (innermost == nullptr) return {ns, own_thread ? Part::idle : Part::program, false, 0};
  switch (innermost->doing) {
    case Doing::task: return {ns, Part::running, false, innermost->task};
    case Doing::spawn: return {ns, Part::analysing, false, innermost->task};
    case Doing::stage: return {ns, Part::moving, false, innermost->task};
    case Doing::wait:
    case Doing::throttled: return {ns, Part::scheduling, false, 0};
    case Doing::search: return {ns, Part::work, false, 0};
    case Doing::park: return {ns, Part::work, true, 0};
    case Doing::ready: return {};
  }
  return {};
}

Part largest(const Causes& causes) {
  const std::pair<double, Part> parts[] = {{causes.idle, Part::idle},
                                           {causes.work, Part::work},
                                           {causes.ranks, Part::ranks},
                                           {causes.others, Part::others},
                                           {causes.data, Part::data}};
  Part result = Part::idle;
  double most = 0;
  for (const auto& [ns, part] : parts) {
    if (ns < most || ns <= 0) continue;
    most = ns;
    result = part;
  }
  return result;
}

bool same(const Piece& a, const Piece& b) { return a.part == b.part && a.asleep == b.asleep && a.task == b.task; }

}  // namespace

std::vector<TimelineRow> timeline(const Trace& trace) {
  const SpanRows spans(trace);
  std::vector<TimelineRow> rows;
  struct Place {
    std::size_t row, piece;
  };
  struct Gaps {
    std::vector<Interval> when;
    std::vector<Place> places;
  };
  std::vector<Gaps> of_process(trace.process_count());
  for (std::size_t track = 0; track < spans.size(); ++track) {
    if (!trace.has_row(track, spans[track].empty())) continue;
    TimelineRow row{track, {}};
    row.pieces.reserve(2 * spans[track].size() + 1);
    const auto [begin, end] = trace.presence(track, spans[track]);
    if (begin > trace.start) row.pieces.push_back({begin - trace.start, Part::absent, false, 0});
    for_each_piece(spans[track], begin, end, [&](const Span* innermost, Ns from, Ns to) {
      const Piece piece = piece_of(innermost, trace.is_own_thread(track), to - from);
      if (!without_work(innermost) && !row.pieces.empty() && same(row.pieces.back(), piece)) {
        row.pieces.back().ns += piece.ns;
        return;
      }
      if (without_work(innermost)) {
        Gaps& gaps = of_process[trace.tracks[track].process];
        gaps.places.push_back({rows.size(), row.pieces.size()});
        gaps.when.push_back({from, to});
      }
      row.pieces.push_back(piece);
    });
    if (end < trace.end) row.pieces.push_back({trace.end - end, Part::absent, false, 0});
    rows.push_back(std::move(row));
  }
  for (std::size_t process = 0; process < of_process.size(); ++process) {
    const auto& [when, places] = of_process[process];
    const WithoutWork causes(trace, when, process);
    for (std::size_t i = 0; i < places.size(); ++i)
      rows[places[i].row].pieces[places[i].piece].part = largest(causes.causes(when[i]));
  }
  return rows;
}

}  // namespace weir::tool::report
