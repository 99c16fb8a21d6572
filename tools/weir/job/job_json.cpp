// SPDX-License-Identifier: Apache-2.0

#include "job_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "json_file.hpp"
#include "pending_file.hpp"
#include "wait_ends.hpp"

namespace weir::tool::job {

namespace {

// From each put, atomic or signal to the wait that it ended; both ends lie within the slices.
base::Status add_flows(const JobFiles& job, std::int64_t origin, std::vector<convert::JsonFlow>& flows) {
  std::unordered_map<int, std::size_t> sources;  // by PE
  for (std::size_t i = 0; i < job.files.size(); ++i) sources[job.files[i].pe] = i;
  return for_each_end(job, [&](const WaitEnds::Wait& wait, const CallAt& by) {
    const CallAt& call = wait.call;
    const std::int64_t end = std::max({call.start, call.end - 1, by.start});
    flows.push_back(
        {{sources.at(by.pe), by.track, by.start - origin}, {sources.at(call.pe), call.track, end - origin}});
  });
}

}  // namespace

base::Status write_job_json(const JobFiles& job, const std::string& to) {
  std::int64_t first = INT64_MAX;
  const auto begin = [](const PeFile& file) {
    return static_cast<std::int64_t>(file.reader.runtimes().front().opened.ns) + file.clock_offset_ns;
  };
  for (const PeFile& file : job.files) first = std::min(first, begin(file));
  std::vector<convert::JsonSource> sources;
  for (const PeFile& file : job.files)
    sources.push_back({&file.reader, fmt::format("PE {}", file.pe), file.runtime, begin(file) - first});
  std::vector<convert::JsonFlow> flows;
  if (base::Status status = add_flows(job, first, flows); !status) return status;
  auto file = PendingFile::create(to);
  if (!file) return file.status();
  if (base::Status status = convert::write_json(sources, flows, file->path()); !status) return status;
  return file->commit();
}

}  // namespace weir::tool::job
