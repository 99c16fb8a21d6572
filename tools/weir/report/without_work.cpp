// SPDX-License-Identifier: Apache-2.0

#include "without_work.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weir::tool::report {

namespace {

// When any task was unfinished, which is all that counts: a few long times of many short ones.
std::vector<Interval> any_unfinished(const Trace& trace, const Process& process) {
  std::vector<Interval> all;
  const std::vector<Ns> ends = trace.ends();
  for (std::uint32_t i = process.first_task; i < process.end_task; ++i) {
    const Task& task = trace.tasks[i];
    if (task.ran) all.push_back({task.spawned >= 0 ? task.spawned : task.start, ends[i]});
  }
  return joined(std::move(all));
}

}  // namespace

WithoutWork::WithoutWork(const Trace& trace, const std::vector<Interval>& gaps, std::size_t number) {
  const Process process = trace.process(number);
  const bool is_all = trace.processes.empty();
  std::vector<Change> changes;
  changes.reserve(2 * (gaps.size() + trace.data_waits.size()));
  const auto add = [&changes](Ns start, Ns end, int Counts::*what) {
    changes.push_back({start, what, 1});
    changes.push_back({end, what, -1});
  };
  for (const Interval& gap : gaps) add(gap.start, gap.end, &Counts::workless);
  for (const DataWait& wait : trace.data_waits) {
    if (!is_all && (wait.task < process.first_task || wait.task >= process.end_task)) continue;
    add(wait.start, wait.end,
        wait.what == For::room     ? &Counts::room
        : wait.what == For::blocks ? &Counts::blocks
        : wait.what == For::rank   ? &Counts::ranks
                                   : &Counts::others);
  }
  for (const Interval& some : any_unfinished(trace, process)) add(some.start, some.end, &Counts::unfinished);
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  add_up(trace.start, changes);
}

Causes WithoutWork::rates(const Counts& counts) {
  Causes rates;
  const int waiting = counts.blocks + counts.room + counts.others + counts.ranks;
  if (waiting > 0 && counts.workless > 0) {
    const double each = static_cast<double>(std::min(waiting, counts.workless)) / counts.workless / waiting;
    rates.room = each * counts.room;
    rates.data = each * (counts.room + counts.blocks);
    rates.others = each * counts.others;
    rates.ranks = each * counts.ranks;
  }
  (counts.unfinished > 0 ? rates.work : rates.idle) = 1 - rates.data - rates.others - rates.ranks;
  return rates;
}

WithoutWork::Point WithoutWork::extend(Point p, Ns to) {
  const auto ns = static_cast<double>(to - p.at);
  p.at = to;
  for (double Causes::*const cause :
       {&Causes::data, &Causes::others, &Causes::work, &Causes::idle, &Causes::room, &Causes::ranks}) {
    p.so_far.*cause += ns * (p.rates.*cause);
  }
  return p;
}

void WithoutWork::add_up(Ns start, const std::vector<Change>& changes) {
  Point now;
  now.at = start;
  now.rates.idle = 1;
  points_.reserve(changes.size() + 1);
  points_.push_back(now);
  Counts counts;
  for (const Change& change : changes) {
    now = extend(now, std::max(change.at, now.at));
    counts.*change.what += change.by;
    now.rates = rates(counts);
    points_.push_back(now);
  }
}

WithoutWork::Point WithoutWork::at(Ns moment) const {
  const auto after =
      std::upper_bound(points_.begin(), points_.end(), moment, [](Ns m, const Point& p) { return m < p.at; });
  return after == points_.begin() ? points_.front() : extend(*std::prev(after), moment);
}

Causes WithoutWork::causes(Interval gap) const {
  const Causes a = at(gap.start).so_far, b = at(gap.end).so_far;
  return {b.data - a.data, b.others - a.others, b.work - a.work, b.idle - a.idle, b.room - a.room, b.ranks - a.ranks};
}

}  // namespace weir::tool::report
