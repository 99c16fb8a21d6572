#include "trace/chrome_file.hpp"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "platform/clock.hpp"
#include "platform/scratch_file.hpp"
#include "trace/chrome_writer.hpp"

namespace weir::trace {

namespace {

class ChromeFile final : public TraceFile {
 public:
  ChromeFile(const std::string& path, platform::ScratchFile parts) : TraceFile(path), parts_(std::move(parts)) {}

  base::Status add(const Recording& recording) override {
    const std::lock_guard lock(mutex_);
    if (count_ == 0) {
      if (base::Status status = parts_.append("{\"traceEvents\":[\n"); !status) return status;
    }
    ChromeWriter writer(recording, ++count_, origin_ns_, parts_);
    base::Result<std::string> runtime = writer.write();
    if (!runtime) return runtime.status();
    if (!runtimes_.empty()) runtimes_ += ",\n";
    runtimes_ += *runtime;
    return parts_.publish(path(), fmt::format("\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{{\"format\":\"weir-"
                                              "trace-1\",\"runtimes\":[\n{}\n]}}}}\n",
                                              runtimes_));
  }

 private:
  const std::uint64_t origin_ns_ = platform::now_ns();
  std::mutex mutex_;
  platform::ScratchFile parts_;  // guarded by mutex_: all but the end of the JSON
  std::string runtimes_;         // guarded by mutex_: a JSON object for each
  int count_ = 0;                // guarded by mutex_
};

}  // namespace

base::Result<std::shared_ptr<TraceFile>> open_chrome_file(const std::string& path) {
  base::Result<platform::ScratchFile> parts = platform::ScratchFile::create_for(path);
  if (!parts) return base::Status{parts.status().code, fmt::format("trace {}", parts.status().message)};
  return std::shared_ptr<TraceFile>(std::make_shared<ChromeFile>(path, std::move(*parts)));
}

}  // namespace weir::trace
