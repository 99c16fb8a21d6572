// SPDX-License-Identifier: Apache-2.0

#include "job_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "meetings.hpp"
#include "pe_lines.hpp"
#include "trace/pe_events.hpp"
#include "trace/records.hpp"
#include "wait_ends.hpp"

namespace weir::tool::job {

namespace {

using trace::Event;
using trace::Kind;

struct Called {
  Event event;
  int pe = 0;
  std::uint32_t row = 0, track = 0;
  std::int64_t start = 0, end = 0;
};

// Of one PE, in the order of its file. Its rows begin with `first_row`.
class Reading final : public trace::RecordVisitor {
 public:
  Reading(const PeFile& file, std::uint32_t first_row, std::vector<Called>& to)
      : pe_(file.pe), clock_(file), first_row_(first_row), to_(to) {}

 private:
  void event(std::uint32_t track, const Event& event) override {
    if (!convert::is_pe_call(event.kind())) return;
    to_.push_back({event, pe_, first_row_ + track, track, clock_.ns(event.start), clock_.ns(event.end())});
  }

  const int pe_;
  const JobClock clock_;
  const std::uint32_t first_row_;
  std::vector<Called>& to_;
};

std::string name_of(const Called& call) {
  const auto [kind, event] = std::pair{call.event.kind(), call.event};
  const std::string name(convert::pe_call(kind, event.small(), event.id, event.value()).name);
  return kind == Kind::atomic ? "atomic " + name : name;
}

class Maker {
 public:
  explicit Maker(std::vector<Called> calls) : calls_(std::move(calls)) {
    std::stable_sort(calls_.begin(), calls_.end(), [](const Called& a, const Called& b) { return a.start < b.start; });
  }

  JobTrace make(report::Trace rows) {
    made_.trace = std::move(rows);
    made_.trace.tasks.emplace_back();
    made_.peers.push_back(0);
    for (const Called& call : calls_) add(call);
    find_ends();
    return std::move(made_);
  }

 private:
  void add(const Called& call) {
    const auto number = static_cast<std::uint32_t>(made_.trace.tasks.size());
    report::Task task;
    task.start = call.start;
    task.end = call.end;
    task.bytes = call.event.value();
    task.ran = true;
    task.name = number_of_name(name_of(call));
    made_.trace.tasks.push_back(std::move(task));
    made_.trace.spans.push_back({call.start, call.end, call.row, report::Doing::task, number});
    const Kind kind = call.event.kind();
    const bool has_peer = kind == Kind::put || kind == Kind::get || kind == Kind::atomic;
    made_.peers.push_back(has_peer ? trace::PePlace::of(call.event.id).pe + 1 : 0);
  }

  int number_of_name(const std::string& name) {
    const auto [found, is_new] = names_.try_emplace(name, static_cast<int>(made_.trace.names.size()));
    if (is_new) made_.trace.names.push_back(name);
    return found->second;
  }

  // Puts are added after all waits, as WaitEnds asks.
  void find_ends() {
    MeetingBook meetings;
    WaitEnds waits;
    for_calls([&](const Called& call, const CallAt& at) {
      if (call.event.kind() == Kind::meet) meetings.came(call.event.id, call.pe, call.start, at.number);
      if (call.event.kind() == Kind::until) waits.add_wait({at, trace::PePlace::of(call.event.id), call.event.value()});
    });
    for_calls([&](const Called& call, const CallAt& at) {
      const Kind kind = call.event.kind();
      if (kind == Kind::put || kind == Kind::atomic) waits.add_put(call.event, at);
      if (kind != Kind::meet) return;
      const MeetingBook::Last last = meetings.last(call.event.id);
      if (last.seen > 1 && last.call != at.number) made_.ends.push_back({at.number, last.call});
    });
    waits.find_ends([&](const WaitEnds::Wait& wait, const CallAt& by) {
      if (by.pe >= 0) made_.ends.push_back({wait.call.number, by.number});
    });
    std::sort(made_.ends.begin(), made_.ends.end(), [](const CallEnd& a, const CallEnd& b) { return a.call < b.call; });
  }

  template <class Do>
  void for_calls(Do&& act) const {
    std::uint32_t number = 0;
    for (const Called& call : calls_) act(call, CallAt{call.pe, call.track, call.start, call.end, ++number});
  }

  std::vector<Called> calls_;
  std::unordered_map<std::string, int> names_;
  JobTrace made_;
};

// A row for each of its threads; time outside of calls is the program's own.
void add_rows(const PeFile& file, report::Trace& trace) {
  const std::size_t threads = std::max<std::size_t>(file.info().tracks.size(), 1);
  for (std::size_t i = 0; i < threads; ++i)
    trace.tracks.push_back(
        {i == 0 ? fmt::format("PE {}", file.pe) : fmt::format("PE {} thread {}", file.pe, i), 0, -1});
}

}  // namespace

base::Result<JobTrace> job_trace(const JobFiles& job) {
  report::Trace rows;
  rows.workers = 1;
  rows.start = INT64_MAX;
  rows.end = INT64_MIN;
  std::vector<Called> calls;
  for (const PeFile& file : job.files) {
    Reading reading(file, static_cast<std::uint32_t>(rows.tracks.size()), calls);
    if (base::Status status = trace::read_records(file.reader, file.info(), reading); !status) return status;
    add_rows(file, rows);
    const auto [start, end] = file.life();
    rows.start = std::min(rows.start, start);
    rows.end = std::max(rows.end, end);
    rows.lost_events += file.info().lost;
  }
  return Maker(std::move(calls)).make(std::move(rows));
}

}  // namespace weir::tool::job
