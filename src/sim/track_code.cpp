// SPDX-License-Identifier: Apache-2.0

#include "sim/track_code.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weir::sim {

using trace::Kind;
using trace::WaitFor;

namespace {

constexpr std::uint32_t kNoTask = ~std::uint32_t{0};

// What lies in an interval comes behind it.
bool comes_before(const Interval& a, const Interval& b) noexcept {
  return a.start != b.start ? a.start < b.start : a.end > b.end;
}

bool computes(const Action& action) noexcept { return action.act == Act::compute; }
bool gives_back(const Action& action) noexcept { return action.act == Act::release; }

}  // namespace

void TrackCode::add_guest(int worker, std::vector<Interval> intervals) {
  if (intervals.empty()) return;
  Life life{intervals.front().start, 0};
  for (const Interval& interval : intervals)
    life = {std::min(life.start, interval.start), std::max(life.end, interval.end)};
  add(worker, std::move(intervals), {life.start, std::min(life.end, end_)}, true);
}

void TrackCode::add(int worker, std::vector<Interval> intervals, Life life, bool of_program) {
  std::stable_sort(intervals.begin(), intervals.end(), comes_before);
  of_program_ = of_program;
  if (of_program) {
    changes_.push_back({life.start, 0, kNoTask, 0, 1});
    changes_.push_back({life.end, 0, kNoTask, 0, -1});
  }
  open_.clear();
  ended_ = kNone;
  open_.emplace_back().interval = {.start = life.start, .end = life.end};
  open_.back().cursor = life.start;
  for (const Interval& interval : intervals) {
    if (interval.end > end_ && interval.start >= end_) continue;  // of the runtime's own end
    close_until(interval.start);
    enter(interval);
  }
  while (open_.size() > 1) leave();
  compute_until(open_.front(), life.end);
  threads_.push_back({worker, std::move(open_.front().actions)});
}

// Intervals of no length at the end of one still lie in it.
void TrackCode::close_until(std::uint64_t start) {
  while (open_.size() > 1 && open_.back().interval.end <= start) {
    if (open_.back().interval.end == start && open_.back().interval.kind == Kind::task) break;
    leave();
  }
}

void TrackCode::enter(const Interval& interval) {
  if (interval.starts_guest) return start_guest(interval);
  if (interval.kind == Kind::edge) return satisfy(interval);
  if (interval.kind == Kind::made || interval.kind == Kind::gone) return block_event(interval);
  while (open_.size() > 1 && open_.back().interval.end <= interval.start) leave();
  note_running(interval);
  note_outside(interval);
  Open& around = open_.back();
  if (around.interval.kind == Kind::task || is_root(around)) act(around, interval);
  if (around.interval.kind == Kind::wait) {
    around.inside += growth_within(around.cursor, interval.start) + interval.end - interval.start;
    around.cursor = std::max(around.cursor, interval.end);
    tasks_in_waits_ += interval.kind == Kind::task ? 1 : 0;
  }
  if (interval.kind != Kind::task && interval.kind != Kind::wait) return;
  if (spare_.empty()) spare_.emplace_back();
  open_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  Open& open = open_.back();
  open.interval = interval;
  open.cursor = interval.start;
  open.inside = 0;
  open.actions.clear();
}

void TrackCode::leave() {
  Open& open = open_.back();
  if (open.interval.kind == Kind::task) {
    compute_until(open, open.interval.end);
    program_.tasks[open.interval.subject].actions = store(open.actions);
  } else {
    open.inside += growth_within(open.cursor, open.interval.end);
    const std::uint64_t length = open.interval.end - open.interval.start;
    between_ns_ += length - std::min(length, open.inside);
  }
  spare_.push_back(std::move(open));
  open_.pop_back();
}

// Who needs what a thread is growing the tier for, or the data layer's lock, goes on when that has ended: so what ended
// there was waited for, from `from` on when it had begun before. What ends later was another thread's.
std::uint64_t TrackCode::growth_within(std::uint64_t from, std::uint64_t to) const {
  const auto first = std::lower_bound(growths_.begin(), growths_.end(), from,
                                      [](const Growth& growth, std::uint64_t at) { return growth.end <= at; });
  std::uint64_t ns = 0;
  for (auto at = first; at != growths_.end() && at->end <= to; ++at) ns += at->end - std::max(at->start, from);
  return ns;
}

void TrackCode::compute_until(Open& open, std::uint64_t at) {
  if (at <= open.cursor) return;
  std::uint64_t ns = at - open.cursor;
  if (is_root(open)) ns -= std::min(ns, growth_within(open.cursor, at));
  open.cursor = at;
  if (open.interval.kind == Kind::task) program_.tasks[open.interval.subject].own_ns += ns;
  if (!open.actions.empty() && open.actions.back().act == Act::compute)
    open.actions.back().ns += ns;
  else
    open.actions.push_back({Act::compute, 0, ns});
}

void TrackCode::act(Open& open, const Interval& interval) {
  compute_until(open, interval.start);
  open.cursor = std::max(open.cursor, interval.end);
  if (interval.kind == Kind::spawn)
    open.actions.push_back({Act::spawn, interval.subject, interval.end - interval.start});
  else if (interval.kind == Kind::wait)
    wait(open, interval);
}

// A throttled thread's waits, and those for work, are decisions of the runtime: a simulation makes its own.
void TrackCode::wait(Open& open, const Interval& interval) {
  switch (static_cast<WaitFor>(interval.what)) {
    case WaitFor::children: open.actions.push_back({Act::wait_children, 0, 0}); return;
    case WaitFor::task: {
      const std::uint32_t task = task_with(interval.id);
      if (task != kNoTask)
        open.actions.push_back({Act::wait_task, task, 0});
      else
        open.actions.push_back({Act::wait_children, 0, 0});
      return;
    }
    case WaitFor::other:
      if (is_root(open)) open.actions.push_back({Act::wait_all, 0, 0});
      return;
    case WaitFor::half:
    case WaitFor::room:
    case WaitFor::stop: return;
  }
}

// While the first thread waits, before that: who comes then may be what it waits for.
void TrackCode::start_guest(const Interval& interval) {
  Open& root = open_.front();
  const bool in_own_code = open_.size() == 1;
  if (in_own_code) compute_until(root, interval.start);
  const bool before_last = !in_own_code && !root.actions.empty();
  root.actions.insert(root.actions.end() - (before_last ? 1 : 0), {Act::start_thread, interval.subject, 0});
}

std::uint32_t TrackCode::task_with(std::uint64_t id) {
  if (by_id_.size() != program_.tasks.size()) {
    by_id_.clear();
    for (std::uint32_t i = 0; i < program_.tasks.size(); ++i) by_id_.emplace_back(program_.tasks[i].id, i);
    std::sort(by_id_.begin(), by_id_.end());
  }
  const auto at = std::lower_bound(by_id_.begin(), by_id_.end(), std::pair(id, std::uint32_t{0}));
  return at != by_id_.end() && at->first == id ? at->second : kNoTask;
}

void TrackCode::block_event(const Interval& interval) {
  Open& open = open_.back();
  const Act act = interval.kind == Kind::made ? Act::make : Act::destroy;
  const bool in_code = is_root(open) || open.interval.kind == Kind::task;
  if (in_code && (is_root(open) || program_.edts)) {
    compute_until(open, interval.start);
    open.actions.push_back({act, interval.subject, 0});
  } else if (act == Act::make) {
    program_.blocks[interval.subject].made_late = true;
  } else {
    open_.front().actions.push_back({act, interval.subject, 0});
  }
}

// In the code of the EDT that satisfies, or, when it does so from elsewhere, at its end. By its end it does when it has
// given its blocks back.
void TrackCode::satisfy(const Interval& interval) {
  if (!program_.edts) return;  // of tasks with footprints the simulation finds the edges itself
  Open& open = open_.back();
  if (open.interval.kind == Kind::task && open.interval.subject == interval.from) {
    compute_until(open, interval.start);
    const bool first_by_end =
        interval.by == trace::EdgeBy::end && std::none_of(open.actions.begin(), open.actions.end(), gives_back);
    if (first_by_end) open.actions.push_back({Act::release, 0, 0});
    open.actions.push_back({Act::satisfy, interval.subject, 0, interval.block});
    return;
  }
  late_.push_back({interval.from, interval.subject, interval.block});
}

Span TrackCode::store(const std::vector<Action>& actions) {
  const Span span{static_cast<std::uint32_t>(program_.actions.size()), static_cast<std::uint32_t>(actions.size())};
  program_.actions.insert(program_.actions.end(), actions.begin(), actions.end());
  return span;
}

// A thread of the program is in its own code but for what it waits in, and tasks.
void TrackCode::note_outside(const Interval& interval) {
  if (!of_program_ || !is_root(open_.back()) || interval.kind == Kind::spawn) return;
  changes_.push_back({interval.start, 0, kNoTask, 0, -1});
  changes_.push_back({std::min(interval.end, open_.front().interval.end), 0, kNoTask, 0, 1});
}

// A worker runs a task's code unless it waits in it. A task on top of another's code, without a wait between them, adds
// nothing. Between two tasks that follow each other the worker looks for nothing, and is taken to run on.
void TrackCode::note_running(const Interval& interval) {
  const bool is_task = interval.kind == Kind::task;
  const bool in_task = open_.back().interval.kind == Kind::task;
  const std::size_t before = ended_depth_ == open_.size() ? std::exchange(ended_, kNone) : kNone;
  if (is_task && in_task) {
    changes_.push_back({interval.start, 0, interval.subject});
    changes_.push_back({interval.end, 0, interval.subject});
  } else if (is_task) {
    const bool follows = before != kNone;
    if (follows) changes_[before].by = 0;
    changes_.push_back({interval.start, follows ? 0 : 1, interval.subject});
    ended_ = changes_.size();
    ended_depth_ = open_.size();
    changes_.push_back({interval.end, -1, interval.subject});
  } else if (in_task && interval.kind == Kind::wait) {
    changes_.push_back({interval.start, -1, kNoTask});
    changes_.push_back({interval.end, 1, kNoTask});
  }
}

void TrackCode::add(const Copying& copying) {
  const auto ns = static_cast<double>(std::max<std::uint64_t>(copying.end - copying.start, 1));
  const double rate = static_cast<double>(copying.bytes) / ns;
  changes_.push_back({copying.start, 0, kNoTask, rate});
  changes_.push_back({std::max(copying.end, copying.start + 1), 0, kNoTask, -rate});
}

// From the integrals over time of the number of workers that run tasks, of threads that have something to run, and of
// what is copied.
void TrackCode::count_beside() {
  std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  struct Begun {
    double ran = 0, busy = 0, copied = 0;
    std::uint64_t at = 0;
    bool known = false;
  };
  std::vector<Begun> begun(program_.tasks.size());
  double ran = 0, busy = 0, copied = 0, rate = 0;
  double outside_ns = 0, busy_outside = 0;  // of threads outside of tasks: their time, and its product with `busy`
  std::int64_t running = 0, outside = 0;
  std::uint64_t until = changes_.empty() ? 0 : changes_.front().at;
  for (const Change& change : changes_) {
    const auto ns = static_cast<double>(change.at - until);
    ran += static_cast<double>(running) * ns;
    const auto all = static_cast<double>(running + outside);
    busy += all * ns;
    outside_ns += static_cast<double>(outside) * ns;
    busy_outside += static_cast<double>(outside) * all * ns;
    copied += rate * ns;
    until = change.at;
    running += change.by;
    outside += change.outside;
    rate = std::max(rate + change.copied, 0.0);
    if (change.task == kNoTask) continue;
    Begun& begin = begun[change.task];
    if (!begin.known) {
      begin = {ran, busy, copied, change.at, true};
    } else if (change.at > begin.at) {
      ProgramTask& task = program_.tasks[change.task];
      const auto length = static_cast<double>(change.at - begin.at);
      task.beside = static_cast<float>(std::max((ran - begin.ran) / length - 1, 0.0));
      task.busy_beside = static_cast<float>(std::max((busy - begin.busy) / length - 1, 0.0));
      task.copied_beside = static_cast<float>(copied - begin.copied);
    }
  }
  if (outside_ns > 0) program_.busy_beside = static_cast<float>(std::max(busy_outside / outside_ns - 1, 0.0));
}

void TrackCode::finish(const std::vector<bool>& spawned) {
  for (const Late& late : late_) {
    ProgramTask& from = program_.tasks[late.from];
    const auto first = program_.actions.begin() + from.actions.first;
    std::vector<Action> actions(first, first + from.actions.count);
    if (std::none_of(actions.begin(), actions.end(), gives_back)) actions.push_back({Act::release, 0, 0});
    actions.push_back({Act::satisfy, late.to, 0, late.block});
    from.actions = store(actions);
  }
  std::vector<Action> unspawned;
  for (std::uint32_t task = 0; task < spawned.size(); ++task)
    if (!spawned[task]) unspawned.push_back({Act::spawn, task, 0});
  std::stable_sort(threads_.begin(), threads_.end(),
                   [](const Thread& a, const Thread& b) { return a.worker < b.worker; });
  std::erase_if(threads_, [&](const Thread& thread) {
    return &thread != &threads_.front() && std::all_of(thread.actions.begin(), thread.actions.end(), computes);
  });
  for (Thread& thread : threads_) {
    if (&thread == &threads_.front()) {
      name_guests(thread.actions);
      thread.actions.insert(thread.actions.begin(), unspawned.begin(), unspawned.end());
    }
    program_.threads.push_back({thread.worker, store(thread.actions)});
  }
  for (const Action& action : program_.actions)
    if (action.act == Act::start_thread) program_.threads[action.subject].is_started = true;
  program_.dispatch_ns = tasks_in_waits_ == 0 ? 0 : between_ns_ / tasks_in_waits_;
  count_beside();
  mark_items_by_slot();
}

// Guests as indices of Program::threads. Those that only run tasks while they wait for nothing are none of these.
void TrackCode::name_guests(std::vector<Action>& actions) const {
  std::vector<Action> named;
  for (Action action : actions) {
    if (action.act == Act::start_thread) {
      const auto of = std::find_if(threads_.begin(), threads_.end(), [&](const Thread& thread) {
        return thread.worker == static_cast<int>(action.subject);
      });
      if (of == threads_.end()) continue;
      action.subject = static_cast<std::uint32_t>(of - threads_.begin());
    }
    named.push_back(action);
  }
  actions = std::move(named);
}

void TrackCode::mark_items_by_slot() {
  for (const Action& action : program_.actions) {
    if (action.act != Act::satisfy || action.block == Action::kNoBlock) continue;
    const Span& items = program_.tasks[action.subject].items;
    for (std::uint32_t i = items.first; i < items.first + items.count; ++i) {
      Item& item = program_.items[i];
      item.by_slot = item.by_slot || (item.is_block && item.block == action.block);
    }
  }
}

}  // namespace weir::sim
