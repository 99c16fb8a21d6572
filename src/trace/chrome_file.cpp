// SPDX-License-Identifier: Apache-2.0

#include "trace/chrome_file.hpp"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "platform/clock.hpp"
#include "platform/part_file.hpp"
#include "trace/checksum_line.hpp"
#include "trace/chrome_writer.hpp"

namespace weir::trace {

namespace {

class ChromeFile final : public TraceFile, public std::enable_shared_from_this<ChromeFile> {
 public:
  explicit ChromeFile(const std::string& path) : TraceFile(path) {}

  base::Result<std::unique_ptr<TracePart>> begin(Spool& spool, const ClockPair& opened) override;
  // A part has ended; `about`: what is said of its runtime, empty when nothing.
  base::Status end(const std::string& about);
  // A part could not be written. What there is of the file stays, as after a kill, unless it holds other runtimes.
  base::Status fail(base::Status why);

 private:
  base::Status publish();
  base::Status grow();

  const std::uint64_t origin_ns_ = platform::now_ns();
  std::mutex mutex_;
  std::unique_ptr<platform::PartFile> file_;  // all but the end of the JSON; changes under mutex_
  std::string runtimes_;                      // guarded by mutex_: a JSON object for each
  int count_ = 0;                             // guarded by mutex_
  int open_ = 0;                              // guarded by mutex_: parts that are being written
};

class ChromePart final : public TracePart {
 public:
  ChromePart(std::shared_ptr<ChromeFile> file, Spool& spool, platform::PartFile& to, int runtime,
             const ClockPair& opened, std::uint64_t origin_ns)
      : file_(std::move(file)), writer_(std::make_unique<ChromeWriter>(spool, to, runtime, opened, origin_ns)) {}
  ~ChromePart() override {
    if (writer_ != nullptr) static_cast<void>(end(""));
  }

  base::Status finish(const Summary& summary, std::uint64_t lost) override {
    const base::Result<std::string> about = writer_->finish(summary, lost);
    if (about) return end(*about);
    writer_.reset();
    return file_->fail(about.status());
  }

 private:
  base::Status end(const std::string& about) {
    writer_.reset();
    return file_->end(about);
  }

  const std::shared_ptr<ChromeFile> file_;
  std::unique_ptr<ChromeWriter> writer_;
};

base::Result<std::unique_ptr<TracePart>> ChromeFile::begin(Spool& spool, const ClockPair& opened) {
  const std::lock_guard lock(mutex_);
  if (open_ == 0) {
    if (base::Status status = grow(); !status) {
      return base::Status{status.code, fmt::format("trace {}", status.message)};
    }
  }
  ++open_;
  const int runtime = ++count_;
  // The first one follows nothing.
  base::Status status = file_->append(fmt::format(
      "{}{{\"ph\":\"M\",\"cat\":\"__metadata\",\"name\":\"process_name\",\"pid\":{},\"tid\":0,\"ts\":0.000,\"args\":{{"
      "\"name\":\"weir runtime {}\"}}}}",
      runtime == 1 ? "" : ",\n", runtime, runtime));
  std::unique_ptr<TracePart> part =
      std::make_unique<ChromePart>(shared_from_this(), spool, *file_, runtime, opened, origin_ns_);
  if (!status) return status;
  return part;
}

// What was there before is to be added to.
base::Status ChromeFile::grow() {
  if (file_ != nullptr) return file_->reopen();
  base::Result<std::unique_ptr<platform::PartFile>> file = platform::PartFile::create(path());
  if (!file) return file.status();
  file_ = std::move(*file);
  return file_->append("{\"traceEvents\":[\n");
}

// The file is put in place when nobody writes to it any more.
base::Status ChromeFile::end(const std::string& about) {
  const std::lock_guard lock(mutex_);
  if (!about.empty()) {
    if (!runtimes_.empty()) runtimes_ += ",\n";
    runtimes_ += about;
  }
  if (--open_ > 0) return base::Status::success();
  if (!runtimes_.empty()) return publish();
  file_->discard();
  file_.reset();
  count_ = 0;
  return base::Status::success();
}

base::Status ChromeFile::fail(base::Status why) {
  {
    const std::lock_guard lock(mutex_);
    if (open_ == 1 && runtimes_.empty()) {
      if (!file_->part().empty()) why.message += fmt::format("; {} has what was written before", file_->part());
      open_ = count_ = 0;
      file_.reset();
      return why;
    }
  }
  const base::Status others = end("");
  if (!others) why.message += fmt::format("; {}", others.message);
  return why;
}

base::Status ChromeFile::publish() {
  std::string end = fmt::format(
      "\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{{\"format\":\"weir-trace-2\",\"runtimes\":[\n{}\n],\n",
      runtimes_);
  return file_->publish(with_checksum(std::move(end), file_->checksum()));
}

}  // namespace

std::shared_ptr<TraceFile> open_chrome_file(const std::string& path) { return std::make_shared<ChromeFile>(path); }

}  // namespace weir::trace
