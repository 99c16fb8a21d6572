#include "trace/trace_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <utility>

#include "platform/clock.hpp"

namespace weir::trace {

base::Result<std::shared_ptr<TraceFile>> TraceFile::open(const std::string& path) {
  static std::mutex mutex;
  static auto* const files = new std::map<std::pair<pid_t, std::string>, std::shared_ptr<TraceFile>>;
  const std::lock_guard lock(mutex);
  std::shared_ptr<TraceFile>& file = (*files)[{getpid(), path}];
  if (file != nullptr) return file;
  base::Result<platform::ScratchFile> parts = platform::ScratchFile::create_for(path);
  if (!parts) {
    files->erase({getpid(), path});
    return base::Status{parts.status().code, fmt::format("trace {}", parts.status().message)};
  }
  file.reset(new TraceFile(path, std::move(*parts)));
  return file;
}

TraceFile::TraceFile(std::string path, platform::ScratchFile parts)
    : path_(std::move(path)), origin_ns_(platform::now_ns()), parts_(std::move(parts)) {}

base::Status TraceFile::add(const ChromeWriter::Input& input) {
  const std::lock_guard lock(mutex_);
  if (count_ == 0) {
    if (base::Status status = parts_.append("{\"traceEvents\":[\n"); !status) return status;
  }
  ChromeWriter writer(input, ++count_, origin_ns_, parts_);
  base::Result<std::string> runtime = writer.write();
  if (!runtime) return runtime.status();
  if (!runtimes_.empty()) runtimes_ += ",\n";
  runtimes_ += *runtime;
  return parts_.publish(path_, fmt::format("\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{{\"format\":\"weir-trace-"
                                           "1\",\"runtimes\":[\n{}\n]}}}}\n",
                                           runtimes_));
}

}  // namespace weir::trace
