// SPDX-License-Identifier: Apache-2.0

#include "trace/trace_file.hpp"

#include <unistd.h>

#include <map>
#include <mutex>
#include <utility>

#include "platform/part_file.hpp"
#include "trace/chrome_file.hpp"
#include "trace/otf2/otf2_file.hpp"

namespace weir::trace {

base::Result<std::shared_ptr<TraceFile>> TraceFile::open(const std::string& path) {
  static std::mutex mutex;
  static auto* const files = new std::map<std::pair<pid_t, std::string>, std::shared_ptr<TraceFile>>;
  const std::lock_guard lock(mutex);
  const std::pair key(getpid(), path);
  if (const auto known = files->find(key); known != files->end()) return known->second;
  base::Result<std::shared_ptr<TraceFile>> file = open_chrome_file(path);
  if (path.ends_with(".otf2")) file = open_otf2_file(path);
  if (file) files->emplace(key, *file);
  return file;
}

base::Status TraceFile::check(const std::string& path) {
  if (path.ends_with(".otf2")) {
    const base::Result<std::shared_ptr<TraceFile>> file = open_otf2_file(path);
    return file ? base::Status::success() : file.status();
  }
  base::Status status = platform::PartFile::check(path);
  if (!status) status.message = "trace " + status.message;
  return status;
}

}  // namespace weir::trace
