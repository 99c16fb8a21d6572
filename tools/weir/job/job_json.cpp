// SPDX-License-Identifier: Apache-2.0

#include "job_json.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "json_file.hpp"
#include "pending_file.hpp"

namespace weir::tool::job {

base::Status write_job_json(const JobFiles& job, const std::string& to) {
  std::int64_t first = INT64_MAX;
  const auto begin = [](const PeFile& file) {
    return static_cast<std::int64_t>(file.reader.runtimes().front().opened.ns) + file.clock_offset_ns;
  };
  for (const PeFile& file : job.files) first = std::min(first, begin(file));
  std::vector<convert::JsonSource> sources;
  for (const PeFile& file : job.files)
    sources.push_back({&file.reader, fmt::format("PE {}", file.pe), file.runtime, begin(file) - first});
  auto file = PendingFile::create(to);
  if (!file) return file.status();
  if (base::Status status = convert::write_json(sources, file->path()); !status) return status;
  return file->commit();
}

}  // namespace weir::tool::job
