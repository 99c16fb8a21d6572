// SPDX-License-Identifier: Apache-2.0

// TraceFile: the file of a trace, to which each runtime of the process that was given its name adds its part.
//
// A name that ends in .otf2 is a folder, an archive of the Open Trace Format (otf2/otf2_file.hpp); any other one a file
// of JSON (chrome_file.hpp). Lives until the process ends. Any thread.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "trace/recording.hpp"
#include "trace/spool.hpp"

namespace weir::trace {

// What one runtime adds. One thread.
class TracePart {
 public:
  TracePart() = default;
  TracePart(const TracePart&) = delete;
  TracePart& operator=(const TracePart&) = delete;
  // Without finish(): the runtime is not in the file.
  virtual ~TracePart() = default;
  // The spool is whole. io_error.
  virtual base::Status finish(const Summary& summary, std::uint64_t lost) = 0;
};

class TraceFile {
 public:
  // The one of this name in this process (a forked child begins anew). io_error when it cannot be written; unsupported
  // when this library was built without what writes its kind.
  static base::Result<std::shared_ptr<TraceFile>> open(const std::string& path);

  // Whether a runtime that starts now could write it; leaves nothing behind.
  static base::Status check(const std::string& path);

  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  virtual ~TraceFile() = default;

  const std::string& path() const noexcept { return path_; }
  // A file in the folder where the trace will be, of which nothing stays: for what is recorded until then.
  virtual std::string spool_path() const { return path_; }
  // What a runtime that starts now adds, from `spool`, which outlives it. io_error.
  virtual base::Result<std::unique_ptr<TracePart>> begin(Spool& spool, const ClockPair& opened) = 0;

 protected:
  explicit TraceFile(std::string path) : path_(std::move(path)) {}

 private:
  const std::string path_;
};

}  // namespace weir::trace
