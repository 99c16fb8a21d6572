// SPDX-License-Identifier: Apache-2.0

#include "critical_path.hpp"

#include <algorithm>
#include <memory>
#include <queue>
#include <utility>

#include "nesting.hpp"

namespace weir::tool::report {

namespace {

constexpr int kNone = -1;

// A stretch of one task's code, or of a thread's outside of tasks, and what came before it on the longest chain.
struct Stretch {
  std::uint32_t task = 0;
  int before = kNone;
  Ns before_ns = 0;  // how much of that one had passed
  bool elsewhere = false;
};

// A moment on a chain: so much code lies behind it.
struct Moment {
  Ns length = 0;
  int stretch = kNone;
  Ns passed = 0;  // of that stretch
};

// A task that runs, or a thread outside of tasks.
struct Frame {
  std::uint32_t task = 0;
  Ns length = 0, begun = 0;  // of the chain now, and where its stretch began
  int stretch = kNone;
  Moment children;  // the longest chain through an ended child
};

struct Step {
  Ns at;
  bool ends;
  const Span* span;
};

class Sweep {
 public:
  explicit Sweep(const Trace& trace)
      : trace_(trace),
        rows_(trace),
        begins_after_(trace.tasks.size()),
        ended_(trace.tasks.size()),
        ends_(trace.late_ends.empty() ? std::vector<Ns>() : trace.ends()),
        parents_(trace.tasks.size(), nullptr),
        known_parent_(trace.tasks.size(), 0),
        finished_(trace.tasks.size(), false) {}

  CriticalPath run() {
    rows_state_.resize(rows_.size());
    for (std::size_t i = 0; i < rows_state_.size(); ++i) {
      Row& row = rows_state_[i];
      row.own_thread = trace_.is_own_thread(i);
      row.there = trace_.presence(i, rows_[i]);
      row.now = row.there.start;
      row.root = std::make_unique<Frame>();
      row.root->stretch = new_stretch(0, {});
    }
    apply_steps();
    for (std::size_t i = 0; i < rows_state_.size(); ++i) {
      Row& row = rows_state_[i];
      if (!row.spans_seen && trace_.tracks[i].worker != 0) continue;  // the program's thread has its own code at least
      pass(row, row.there.end);
      consider(moment_of(*row.root));
    }
    return trace_back();
  }

 private:
  struct Open {
    const Span* span;
    std::unique_ptr<Frame> frame;  // of a task
  };
  struct Row {
    Interval there;
    Ns now = 0;
    bool spans_seen = false;
    bool own_thread = false;
    std::unique_ptr<Frame> root;
    std::vector<Open> open;
  };

  // What happens on one row, step by step: an end before a start at the same moment, inner ends before outer ones.
  class Steps {
   public:
    Steps(std::span<const Span> spans, std::size_t row) : spans_(spans), row_(row) {}
    bool done() const { return next_ == spans_.size() && open_.empty(); }
    bool ends() const { return next_ == spans_.size() || (!open_.empty() && open_.back()->end <= spans_[next_].start); }
    Ns at() const { return ends() ? open_.back()->end : spans_[next_].start; }
    std::size_t row() const { return row_; }
    Step take() {
      if (!ends()) {
        open_.push_back(&spans_[next_++]);
        return {open_.back()->start, false, open_.back()};
      }
      const Span* const ended = open_.back();
      open_.pop_back();
      return {ended->end, true, ended};
    }

   private:
    std::span<const Span> spans_;
    std::size_t row_, next_ = 0;
    std::vector<const Span*> open_;
  };

  // Of all rows in the order of time.
  void apply_steps() {
    std::vector<Steps> rows;
    for (std::size_t i = 0; i < rows_.size(); ++i) rows.emplace_back(rows_[i], i);
    const auto later = [](const std::pair<Ns, Steps*>& a, const std::pair<Ns, Steps*>& b) {
      return a.first != b.first ? a.first > b.first : a.second->row() > b.second->row();
    };
    std::priority_queue<std::pair<Ns, Steps*>, std::vector<std::pair<Ns, Steps*>>, decltype(later)> next(later);
    for (Steps& row : rows) {
      if (!row.done()) next.emplace(row.at(), &row);
    }
    while (!next.empty()) {
      Steps& row = *next.top().second;
      next.pop();
      apply(row.take());
      if (!row.done()) next.emplace(row.at(), &row);
    }
  }

  static Frame& frame_of(Row& row) {
    for (auto open = row.open.rbegin(); open != row.open.rend(); ++open) {
      if (open->frame != nullptr) return *open->frame;
    }
    return *row.root;
  }

  // Code has run in the innermost frame, unless it waited.
  void pass(Row& row, Ns to) const {
    to = std::min(to, trace_.end);
    const bool runs = row.open.empty()
                          ? !row.own_thread
                          : row.open.back().span->doing == Doing::task || row.open.back().span->doing == Doing::spawn;
    if (runs && to > row.now) frame_of(row).length += to - row.now;
    row.now = std::max(row.now, to);
  }

  int new_stretch(std::uint32_t task, const Moment& after, bool elsewhere = false) {
    stretches_.push_back({task, after.stretch, after.passed, elsewhere});
    return static_cast<int>(stretches_.size()) - 1;
  }

  static Moment moment_of(const Frame& frame) { return {frame.length, frame.stretch, frame.length - frame.begun}; }

  void consider(const Moment& moment) {
    if (moment.length > longest_.length) longest_ = moment;
  }

  void apply(const Step& step) {
    Row& row = rows_state_[step.span->track];
    row.spans_seen = true;
    pass(row, step.at);
    step.ends ? end(row, *step.span) : begin(row, *step.span);
  }

  void begin(Row& row, const Span& span) {
    Open open{&span, nullptr};
    if (span.doing == Doing::spawn && frame_of(row).task != span.task) {
      Frame& parent = frame_of(row);
      comes_after(span.task, moment_of(parent));
      note_parent(span.task, parent);
    }
    if (span.doing == Doing::ready && is_predecessor(frame_of(row).task, span.task))
      comes_after(span.task, moment_of(frame_of(row)));
    if (span.doing == Doing::task) {
      Moment after = begins_after_[span.task];
      for (const std::uint32_t before : trace_.tasks[span.task].comes_after) {
        if (ended_[before].length > after.length) after = ended_[before];
      }
      open.frame = std::make_unique<Frame>();
      open.frame->task = span.task;
      open.frame->length = open.frame->begun = after.length;
      open.frame->stretch = new_stretch(span.task, after);
    }
    row.open.push_back(std::move(open));
  }

  // Who waits for it. An EDT does not wait for those that it has made: the program does, which has made the first one.
  // Tasks of the C++ API that an EDT has made are told from EDTs by their footprints.
  void note_parent(std::uint32_t task, Frame& parent) {
    if (!may_have_made(parent.task, task)) return;
    if (parent.task == 0 || !trace_.edts || trace_.tasks[task].asked || trace_.tasks[task].waited) {
      parents_[task] = &parent;
      known_parent_[task] = parent.task;
      return;
    }
    std::uint32_t first = parent.task;
    while (known_parent_[first] != 0) first = known_parent_[first];
    parents_[task] = parents_[first];
    known_parent_[task] = 0;
  }
  // A damaged file may say that two tasks have made each other.
  bool may_have_made(std::uint32_t parent, std::uint32_t task) const {
    const Ns began = trace_.tasks[parent].start, child_began = trace_.tasks[task].start;
    return parent == 0 || (began == child_began ? parent < task : began < child_began);
  }
  void comes_after(std::uint32_t task, const Moment& moment) {
    if (moment.length >= begins_after_[task].length) begins_after_[task] = moment;
  }
  bool is_predecessor(std::uint32_t before, std::uint32_t task) const {
    const FewNumbers& all = trace_.tasks[task].comes_after;
    return std::find(all.begin(), all.end(), before) != all.end();
  }

  void end(Row& row, const Span& span) {
    if (row.open.empty()) return;
    const Open open = std::move(row.open.back());
    row.open.pop_back();
    if (span.doing == Doing::task) return end_task(*open.frame, span.end);
    if (span.doing != Doing::wait) return;
    Frame& frame = frame_of(row);  // what it waited for lies behind it now
    const Moment after = span.task != 0 ? ended_[span.task] : frame.children;
    if (after.length <= frame.length) return;
    frame.length = frame.begun = after.length;
    frame.stretch = new_stretch(frame.task, after);
  }

  // From the return of the function on.
  Moment until_late_end(std::uint32_t task, Ns at, const Moment& moment) {
    const Ns more = ends_.empty() ? 0 : std::min(ends_[task], trace_.end) - at;
    return more <= 0 ? moment : Moment{moment.length + more, new_stretch(task, moment, true), more};
  }

  // A task has ended when its children have: who depends on it comes after them, too.
  void end_task(const Frame& frame, Ns at) {
    const Moment moment = until_late_end(frame.task, at, moment_of(frame));
    consider(moment);
    Moment all = frame.children.length > moment.length ? frame.children : moment;
    std::uint32_t task = frame.task;
    finished_[task] = true;
    while (true) {
      if (all.length > ended_[task].length) ended_[task] = all;
      Frame* const parent = parents_[task];
      if (parent == nullptr) return;
      const std::uint32_t above = known_parent_[task];
      if (above == 0 || !finished_[above]) {
        if (all.length > parent->children.length) parent->children = all;
        return;
      }
      if (trace_.edts && !trace_.tasks[task].waited) return;
      task = above;  // its function has returned before its children ended
    }
  }

  CriticalPath trace_back() const {
    CriticalPath path;
    path.length = longest_.length;
    Ns passed = longest_.passed;
    for (int s = longest_.stretch; s != kNone;) {
      const Stretch& stretch = stretches_[static_cast<std::size_t>(s)];
      if (passed > 0 || stretch.task != 0) path.steps.push_back({stretch.task, passed, stretch.elsewhere});
      passed = stretch.before_ns;
      s = stretch.before;
    }
    std::reverse(path.steps.begin(), path.steps.end());
    return path;
  }

  const Trace& trace_;
  const SpanRows rows_;
  std::vector<Row> rows_state_;
  std::vector<Stretch> stretches_;
  std::vector<Moment> begins_after_, ended_;  // by task; the first: what had passed of those that have not ended
  std::vector<Ns> ends_;                      // of tasks, late ones included; none: none has ended late
  std::vector<Frame*> parents_;               // by task; looked at only while the parent runs
  std::vector<std::uint32_t> known_parent_;
  std::vector<bool> finished_;  // its function has returned
  Moment longest_;
};

}  // namespace

CriticalPath critical_path(const Trace& trace) { return Sweep(trace).run(); }

}  // namespace weir::tool::report
