// TraceFile: the file of a trace, to which each runtime of the process that was given its name adds its part.
//
// The parts are kept in a file without a name, and the whole is put in place after each, so that no reader ever sees
// half a file and Ctrl-C leaves what was there before. Lives until the process ends. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "platform/scratch_file.hpp"
#include "trace/chrome_writer.hpp"

namespace weir::trace {

class TraceFile {
 public:
  // The one of this name in this process (a forked child begins anew). io_error when it cannot be written.
  static base::Result<std::shared_ptr<TraceFile>> open(const std::string& path);

  const std::string& path() const noexcept { return path_; }
  base::Status add(const ChromeWriter::Input& input);

 private:
  TraceFile(std::string path, platform::ScratchFile parts);

  const std::string path_;
  const std::uint64_t origin_ns_;
  std::mutex mutex_;
  platform::ScratchFile parts_;  // guarded by mutex_: all but the end of the JSON
  std::string runtimes_;         // guarded by mutex_: a JSON object for each
  int count_ = 0;                // guarded by mutex_
};

}  // namespace weir::trace
