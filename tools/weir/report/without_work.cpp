#include "without_work.hpp"

#include <algorithm>
#include <iterator>

namespace weir::tool::report {

WithoutWork::WithoutWork(const Trace& trace, const std::vector<Gap>& gaps) {
  std::vector<Change> changes;
  changes.reserve(2 * (gaps.size() + trace.data_waits.size() + trace.tasks.size()));
  for (const Gap& s : gaps) {
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

WithoutWork::Point WithoutWork::extend(Point p, Ns to) {
  const auto ns = static_cast<double>(to - p.at);
  p.at = to;
  p.so_far.data += ns * p.data_rate;
  (p.unfinished ? p.so_far.work : p.so_far.idle) += ns * (1 - p.data_rate);
  return p;
}

void WithoutWork::add_up(Ns start, const std::vector<Change>& changes) {
  Point now;
  now.at = start;
  points_.reserve(changes.size() + 1);
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

WithoutWork::Point WithoutWork::at(Ns moment) const {
  const auto after =
      std::upper_bound(points_.begin(), points_.end(), moment, [](Ns m, const Point& p) { return m < p.at; });
  return after == points_.begin() ? points_.front() : extend(*std::prev(after), moment);
}

Causes WithoutWork::causes(Gap gap) const {
  const Causes a = at(gap.start).so_far, b = at(gap.end).so_far;
  return {b.data - a.data, b.work - a.work, b.idle - a.idle};
}

}  // namespace weir::tool::report
