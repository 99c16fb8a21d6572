// SPDX-License-Identifier: Apache-2.0

#include "job_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "json_file.hpp"
#include "pending_file.hpp"
#include "rank_trace.hpp"
#include "wait_ends.hpp"

namespace weir::tool::job {

namespace {

// From each put, atomic or signal to the wait that it ended; both ends lie within the slices. `first`: source of the
// job's first file.
base::Status add_flows(const JobFiles& job, std::size_t first, std::int64_t origin,
                       std::vector<convert::JsonFlow>& flows) {
  std::unordered_map<int, std::size_t> sources;  // by PE
  for (std::size_t i = 0; i < job.files.size(); ++i) sources[job.files[i].pe] = first + i;
  return for_each_end(job, [&](const WaitEnds::Wait& wait, const CallAt& by) {
    const CallAt& call = wait.call;
    const std::int64_t end = std::max({call.start, call.end - 1, by.start});
    flows.push_back({{sources.at(by.pe), by.track, by.start - origin},
                     {sources.at(call.pe), call.track, end - origin},
                     "ended the wait"});
  });
}

// Where each task of the joined trace ran: the track, as its own file numbers it, and the file.
struct Place {
  std::size_t source = 0;
  std::uint32_t track = 0;
};
std::vector<Place> places(const report::Trace& trace) {
  std::vector<std::uint32_t> first_row(trace.processes.size(), 0);
  for (std::size_t row = trace.tracks.size(); row-- > 0;)
    first_row[trace.tracks[row].process] = static_cast<std::uint32_t>(row);
  std::vector<Place> places(trace.tasks.size());
  for (const report::Span& span : trace.spans) {
    if (span.doing != report::Doing::task) continue;
    const std::uint32_t process = trace.tracks[span.track].process;
    places[span.task] = {process, span.track - first_row[process]};
  }
  return places;
}

// From the task that has sent something to the first that could begin with it, or that went on with an answer.
base::Status add_messages(const JobFiles& job, std::vector<convert::JsonFlow>& flows) {
  const auto joined = rank_trace(job);
  if (!joined) return joined.status();
  const report::Trace& trace = joined->trace;
  const std::vector<Place> where = places(trace);
  const auto at = [&](std::uint32_t task, std::int64_t ns) {
    return convert::JsonFlow::End{where[task].source, where[task].track, ns};
  };
  for (const Crossing& crossing : joined->crossings) {
    const std::uint32_t to = crossing.is_of_ocr() ? crossing.receiver : crossing.first;
    if (crossing.sender == 0 || to == 0 || !trace.tasks[crossing.sender].ran || !trace.tasks[to].ran) continue;
    const bool goes_on = crossing.what == trace::RankMessage::answer;  // it has begun before
    flows.push_back({at(crossing.sender, std::max(crossing.sent, trace.tasks[crossing.sender].start)),
                     at(to, goes_on ? crossing.came : trace.tasks[to].start), "message"});
  }
  return base::Status::success();
}

}  // namespace

base::Status write_job_json(std::span<const JobFiles> starts, const std::string& to) {
  std::int64_t origin = INT64_MAX;
  for (const JobFiles& job : starts)
    for (const PeFile& file : job.files) origin = std::min(origin, file.origin_ns());
  std::vector<convert::JsonSource> sources;
  std::vector<convert::JsonFlow> flows;
  for (std::size_t start = 0; start < starts.size(); ++start) {
    const JobFiles& job = starts[start];
    const std::size_t first = sources.size();
    const std::string of_start = starts.size() == 1 ? "" : fmt::format(", start {}", start + 1);
    for (const PeFile& file : job.files)
      sources.push_back({&file.reader, fmt::format("{} {}{}", file.word(), file.pe, of_start), file.runtime,
                         file.origin_ns() - origin});
    const base::Status status = job.is_of_ranks() ? add_messages(job, flows) : add_flows(job, first, origin, flows);
    if (!status) return status;
  }
  auto file = PendingFile::create(to);
  if (!file) return file.status();
  if (base::Status status = convert::write_json(sources, flows, file->path()); !status)
    return file->by_its_name(std::move(status));
  return file->commit();
}

}  // namespace weir::tool::job
