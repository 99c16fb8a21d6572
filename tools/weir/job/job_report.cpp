// SPDX-License-Identifier: Apache-2.0

#include "job_report.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "meetings.hpp"
#include "trace/records.hpp"
#include "wait_ends.hpp"

namespace weir::tool::job {

namespace {

using trace::Event;
using trace::Kind;
using trace::PePlace;

bool is_call(Kind kind) noexcept { return kind >= Kind::put && kind <= Kind::order; }
std::size_t part_of(Kind kind) noexcept { return static_cast<std::size_t>(kind) - static_cast<std::size_t>(Kind::put); }

// What is added up in one go; meetings and waits are noted for the second.
class FirstPass final : public trace::RecordVisitor {
 public:
  FirstPass(const PeFile& file, JobReport& report, MeetingBook& meetings, WaitEnds& waits)
      : pe_(file.pe),
        clock_(file),
        times_(report.times.emplace_back()),
        report_(report),
        meetings_(meetings),
        waits_(waits) {
    times_.pe = file.pe;
    times_.host = file.host;
  }

 private:
  void event(std::uint32_t track, const Event& event) override {
    if (!is_call(event.kind())) return;
    const std::int64_t start = clock_.ns(event.start), end = clock_.ns(event.end());
    times_.in[part_of(event.kind())] += static_cast<double>(end - start);
    ++times_.calls[part_of(event.kind())];
    if (event.kind() == Kind::meet) meetings_.came(event.id, pe_, start);
    if (event.kind() == Kind::until) waits_.add_wait({{pe_, track, start, end}, PePlace::of(event.id), event.value()});
    if (event.kind() == Kind::put || event.kind() == Kind::get || event.kind() == Kind::atomic) add_traffic(event);
  }

  void add_traffic(const Event& event) {
    Traffic& traffic = report_.traffic[{pe_, static_cast<int>(PePlace::of(event.id).pe)}];
    const bool is_put = event.kind() == Kind::put, is_get = event.kind() == Kind::get;
    ++(is_put ? traffic.puts : is_get ? traffic.gets : traffic.atomics);
    (is_put ? traffic.put_bytes : is_get ? traffic.get_bytes : traffic.atomic_bytes) += event.value();
  }

  const int pe_;
  const JobClock clock_;
  PeTimes& times_;
  JobReport& report_;
  MeetingBook& meetings_;
  WaitEnds& waits_;
};

class SecondPass final : public trace::RecordVisitor {
 public:
  SecondPass(const PeFile& file, JobReport& report, const MeetingBook& meetings, WaitEnds& waits)
      : pe_(file.pe), clock_(file), report_(report), meetings_(meetings), waits_(waits) {}

 private:
  void event(std::uint32_t track, const Event& event) override {
    if (event.kind() == Kind::put || event.kind() == Kind::atomic)
      waits_.add_put(event, {pe_, track, clock_.ns(event.start), clock_.ns(event.end())});
    if (event.kind() == Kind::meet) meet(event);
  }

  void meet(const Event& event) {
    Meetings& kind = report_.meetings[static_cast<trace::PeMeet>(event.small())];
    ++kind.number;
    kind.bytes += event.value();
    const MeetingBook::Last last = meetings_.last(event.id);
    if (last.seen < 2) return;
    PeTimes& mine = times_of(pe_);
    ++mine.meetings;
    if (last.pe == pe_) {
      ++mine.came_last;
      return;
    }
    const std::int64_t start = clock_.ns(event.start), end = clock_.ns(event.end());
    const auto waited = static_cast<double>(std::clamp(last.start, start, end) - start);
    kind.waited_ns += waited;
    times_of(last.pe).others_waited_ns += waited;
    Waits& waits = report_.waits_for_last[{pe_, last.pe}];
    ++waits.times;
    waits.ns += waited;
  }

  PeTimes& times_of(int pe) {
    return *std::lower_bound(report_.times.begin(), report_.times.end(), pe,
                             [](const PeTimes& times, int wanted) { return times.pe < wanted; });
  }

  const int pe_;
  const JobClock clock_;
  JobReport& report_;
  const MeetingBook& meetings_;
  WaitEnds& waits_;
};

}  // namespace

double PeTimes::computing_ns() const noexcept {
  return std::max(0.0, life_ns - std::accumulate(in.begin(), in.end(), 0.0));
}

std::string name_of(trace::PeMeet what) {
  const auto number = static_cast<std::size_t>(what);
  return std::string(number < std::size(trace::kPeMeetNames) ? trace::kPeMeetNames[number] : "other");
}

base::Result<JobReport> report_job(const JobFiles& job) {
  JobReport report;
  report.pes = job.pes;
  report.times.reserve(job.files.size());
  MeetingBook meetings;
  WaitEnds waits;
  std::int64_t first = INT64_MAX, last = INT64_MIN;
  for (const PeFile& file : job.files) {
    FirstPass pass(file, report, meetings, waits);
    if (base::Status status = trace::read_records(file.reader, file.info(), pass); !status) return status;
    const auto [start, end] = file.life();
    PeTimes& times = report.times.back();
    times.threads = static_cast<int>(std::max<std::size_t>(file.info().tracks.size(), 1));
    times.life_ns = static_cast<double>(end - start) * times.threads;
    first = std::min(first, start);
    last = std::max(last, end);
  }
  report.wall_ns = static_cast<double>(last - first);
  for (const PeFile& file : job.files) {
    SecondPass pass(file, report, meetings, waits);
    if (base::Status status = trace::read_records(file.reader, file.info(), pass); !status) return status;
  }
  waits.find_ends([&](const WaitEnds::Wait& wait, const CallAt& by) {
    Waits& sum = report.waits_until[{wait.call.pe, by.pe}];
    ++sum.times;
    sum.ns += static_cast<double>(wait.call.end - wait.call.start);
  });
  return report;
}

}  // namespace weir::tool::job
