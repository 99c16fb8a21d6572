// SPDX-License-Identifier: Apache-2.0

#include "job_page.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "job_trace.hpp"
#include "report/page.hpp"
#include "show_job.hpp"

namespace weir::tool::job {

// Embedded by page/CMakeLists.txt.
extern const std::string_view kJobHtml, kJobCss, kJobScript;

namespace {

// Of all calls of one name, what took longest first.
Json names_json(const report::Trace& trace) {
  struct Cost {
    std::string name;
    std::uint64_t calls = 0, ns = 0, bytes = 0;
  };
  std::vector<Cost> costs;
  for (const std::string& name : trace.names) costs.push_back({name});
  for (std::size_t i = 1; i < trace.tasks.size(); ++i) {
    const report::Task& call = trace.tasks[i];
    Cost& cost = costs[static_cast<std::size_t>(call.name)];
    ++cost.calls;
    cost.ns += static_cast<std::uint64_t>(call.end - call.start);
    cost.bytes += call.bytes;
  }
  std::stable_sort(costs.begin(), costs.end(), [](const Cost& a, const Cost& b) { return a.ns > b.ns; });
  Json list = Json::array();
  for (const Cost& cost : costs)
    list.push_back({{"name", cost.name}, {"calls", cost.calls}, {"ns", cost.ns}, {"bytes", cost.bytes}});
  return list;
}

void add_ends(const std::vector<CallEnd>& ends, report::Columns& columns) {
  std::vector<std::int64_t> calls, by;
  for (const CallEnd& end : ends) {
    calls.push_back(end.call);
    by.push_back(end.by);
  }
  columns.add_differences("end.call", calls);
  columns.add_differences("end.by", by);
}

}  // namespace

base::Result<std::string> page(const JobFiles& job, const JobReport& report, const std::string& title) {
  if (base::Status status = report::page_available(); !status) return status;
  const auto calls = job_trace(job);
  if (!calls) return calls.status();
  report::PageData data = report::page_data(calls->trace, report::Report{});
  std::vector<std::uint64_t> peers(calls->peers.begin(), calls->peers.end());
  data.columns.add("call.peer", peers);
  add_ends(calls->ends, data.columns);
  data.about["report"] = to_json(job, report);
  data.about["report"]["names"] = names_json(calls->trace);
  data.about["report"]["lost_events"] = calls->trace.lost_events;
  data.about["report"]["parts"] = kParts;
  return report::fill_page({kJobHtml, kJobCss, kJobScript}, std::move(data), title);
}

}  // namespace weir::tool::job
