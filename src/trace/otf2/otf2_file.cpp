// SPDX-License-Identifier: Apache-2.0

#include "trace/otf2/otf2_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>
#include <system_error>

#include "platform/clock.hpp"
#include "platform/scratch_file.hpp"
#include "trace/otf2/otf2_writer.hpp"

namespace weir::trace {

namespace {

namespace fs = std::filesystem;

base::Status io_error(const std::string& path, const std::string& why) {
  return {base::Code::io_error, fmt::format("trace {}: {}", path, why)};
}

bool is_archive(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / fmt::format("{}.otf2", Otf2Writer::kName), error);
}

// Nothing, an empty folder, or an archive that may be replaced.
base::Status check_place(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error) || is_archive(path) || (fs::is_directory(path, error) && fs::is_empty(path, error))) {
    return base::Status::success();
  }
  return io_error(path, "exists and is no OTF2 archive; it is not touched");
}

class Otf2File final : public TraceFile, public std::enable_shared_from_this<Otf2File> {
 public:
  explicit Otf2File(const std::string& path) : TraceFile(path) {}

  std::string spool_path() const override { return path() + ".events"; }
  base::Result<std::unique_ptr<TracePart>> begin(Spool& spool, const ClockPair& opened) override;

  // One more archive.
  base::Status add(const Summary& summary, Spool& spool, const ClockPair& opened) {
    const std::lock_guard lock(mutex_);
    ++count_;
    const std::string stem = path().substr(0, path().size() - std::string_view(".otf2").size());
    const std::string place = count_ == 1 ? path() : fmt::format("{}-{}.otf2", stem, count_);
    if (base::Status status = check_place(place); !status) return status;
    base::Result<ResolvedTrace> trace = resolve(spool, spool_path());
    if (!trace) return {trace.status().code, fmt::format("trace {}: {}", place, trace.status().message)};
    const TimeScale scale(opened, ClockPair::now(), origin_ns_);
    const std::string temporary = fmt::format("{}.{}.tmp", place, getpid());
    std::error_code error;
    fs::remove_all(temporary, error);
    base::Status status = Otf2Writer(*trace, summary, scale, count_).write(temporary);
    if (status) status = put_in_place(temporary, place);
    if (!status) fs::remove_all(temporary, error);
    return status;
  }

 private:
  static base::Status put_in_place(const std::string& temporary, const std::string& place) {
    std::error_code error;
    fs::remove_all(place, error);
    fs::rename(temporary, place, error);
    return error ? io_error(place, error.message()) : base::Status::success();
  }

  const std::uint64_t origin_ns_ = platform::now_ns();
  std::mutex mutex_;
  int count_ = 0;  // guarded by mutex_
};

class Otf2Part final : public TracePart {
 public:
  Otf2Part(std::shared_ptr<Otf2File> file, Spool& spool, const ClockPair& opened)
      : file_(std::move(file)), spool_(spool), opened_(opened) {}
  base::Status finish(const Summary& summary, std::uint64_t) override { return file_->add(summary, spool_, opened_); }

 private:
  const std::shared_ptr<Otf2File> file_;
  Spool& spool_;
  const ClockPair opened_;
};

base::Result<std::unique_ptr<TracePart>> Otf2File::begin(Spool& spool, const ClockPair& opened) {
  std::unique_ptr<TracePart> part = std::make_unique<Otf2Part>(shared_from_this(), spool, opened);
  return part;
}

}  // namespace

base::Result<std::shared_ptr<TraceFile>> open_otf2_file(const std::string& path) {
  if (base::Status status = check_place(path); !status) return status;
  auto file = std::make_shared<Otf2File>(path);
  const auto spool = platform::ScratchFile::create_for(file->spool_path());  // its folder can be written to
  if (!spool) return base::Status{spool.status().code, fmt::format("trace {}", spool.status().message)};
  return std::shared_ptr<TraceFile>(std::move(file));
}

}  // namespace weir::trace
