#include "time_parts.hpp"

#include <algorithm>

#include "nesting.hpp"

namespace weir::tool::report {

namespace {

struct Slice {  // without work
  std::size_t worker;
  Ns start, end;
};

// What changes at one moment.
struct Change {
  Ns at;
  int workless, waiting, unfinished;  // +1 or -1, or 0
};

// How much of each kind a worker without work has had by some moment: piecewise linear.
class Shares {
 public:
  Shares(const Trace& trace, const std::vector<Slice>& slices) {
    std::vector<Change> changes;
    for (const Slice& s : slices) {
      changes.push_back({s.start, 1, 0, 0});
      changes.push_back({s.end, -1, 0, 0});
    }
    for (const DataWait& w : trace.data_waits) {
      changes.push_back({w.start, 0, 1, 0});
      changes.push_back({w.end, 0, -1, 0});
    }
    for (const Task& task : trace.tasks) {
      if (!task.ran) continue;
      changes.push_back({task.spawned >= 0 ? task.spawned : task.start, 0, 0, 1});
      changes.push_back({task.end, 0, 0, -1});
    }
    std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
    add_up(trace.start, changes);
  }

  void give(TimeParts& to, const Slice& slice) const {
    const Point a = at(slice.start), b = at(slice.end);
    to.waiting_for_data += b.data - a.data;
    to.waiting_for_work += b.work - a.work;
    to.idle += b.idle - a.idle;
  }

 private:
  struct Point {
    Ns at = 0;
    double data = 0, work = 0, idle = 0;  // so far
    double data_rate = 0;                 // from here on
    bool unfinished = false;
  };

  static Point extend(Point p, Ns to) {
    const auto ns = static_cast<double>(to - p.at);
    p.at = to;
    p.data += ns * p.data_rate;
    (p.unfinished ? p.work : p.idle) += ns * (1 - p.data_rate);
    return p;
  }

  void add_up(Ns start, const std::vector<Change>& changes) {
    Point now;
    now.at = start;
    points_.push_back(now);
    int workless = 0, waiting = 0, unfinished = 0;
    for (const Change& change : changes) {
      now = extend(now, std::max(change.at, now.at));
      workless += change.workless;
      waiting += change.waiting;
      unfinished += change.unfinished;
      now.data_rate = workless > 0 ? static_cast<double>(std::min(waiting, workless)) / workless : 0;
      now.unfinished = unfinished > 0;
      points_.push_back(now);
    }
  }

  Point at(Ns moment) const {
    const auto after =
        std::upper_bound(points_.begin(), points_.end(), moment, [](Ns m, const Point& p) { return m < p.at; });
    return after == points_.begin() ? points_.front() : extend(*std::prev(after), moment);
  }

  std::vector<Point> points_;
};

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

bool without_work(const Span* innermost) {
  return innermost != nullptr && (innermost->doing == Doing::search || innermost->doing == Doing::park);
}

}  // namespace

std::vector<TimeParts> time_parts(const Trace& trace) {
  const auto rows = spans_by_track(trace);
  std::vector<TimeParts> result;
  std::vector<Slice> slices;
  for (std::size_t track = 0; track < rows.size(); ++track) {
    const TrackRow& row = trace.tracks[track];
    if (row.worker < 0 || (row.worker >= trace.workers && rows[track].empty())) continue;
    TimeParts parts;
    parts.worker = row.name;
    parts.domain = row.domain;
    for (const Span& span : rows[track]) parts.tasks += span.doing == Doing::task ? 1 : 0;
    for_each_piece(rows[track], trace.start, trace.end, [&](const Span* innermost, Ns from, Ns to) {
      add(parts, innermost, trace.is_own_thread(track), static_cast<double>(to - from));
      if (without_work(innermost)) slices.push_back({result.size(), from, to});
    });
    result.push_back(std::move(parts));
  }
  const Shares shares(trace, slices);
  for (const Slice& slice : slices) shares.give(result[slice.worker], slice);
  return result;
}

std::vector<Ns> own_times(const Trace& trace) {
  std::vector<Ns> own(trace.tasks.size(), 0);
  for (const auto& row : spans_by_track(trace)) {
    for_each_piece(row, trace.start, trace.end, [&](const Span* innermost, Ns from, Ns to) {
      if (innermost != nullptr && innermost->doing == Doing::task) own[innermost->task] += to - from;
    });
  }
  return own;
}

}  // namespace weir::tool::report
