// SPDX-License-Identifier: Apache-2.0

#include "trace/trace_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

#include "platform/clock.hpp"
#include "platform/held_at_fork.hpp"

namespace weir::trace {

namespace {

// A name of what `weir trace` makes of a trace: nobody means a file in Weir's own format by it.
base::Status check_name(const std::string& path) {
  for (const std::string_view other : {".json", ".otf2"}) {
    if (!path.ends_with(other)) continue;
    const std::string stem = path.substr(0, path.size() - other.size());
    return {
        base::Code::bad_option,
        fmt::format("trace {}: a program writes Weir's own format: trace to {}.weir, then weir trace {}.weir --to {}, "
                    "or run it with weir run --trace {}",
                    path, stem, stem, path, path)};
  }
  return base::Status::success();
}

FileHead make_head() noexcept {
  FileHead head{};
  std::memcpy(head.magic, kFileMagic, sizeof head.magic);
  head.byte_order = kByteOrder;
  head.version = kFormatVersion;
  head.checksum = checksum_of(head);
  return head;
}

base::Status named(base::Status status) {
  if (!status) status.message = "trace " + status.message;
  return status;
}

// The file that this copy of the library writes for that name.
std::string own_file(const std::string& path) {
  std::string own = platform::PartFile::unshared(path);
  if (own != path) {
    std::fprintf(stderr,
                 "weir: trace %s: is written in this process already, by another copy of Weir (a library that has one "
                 "linked in) or under another name; what follows is in %s\n",
                 path.c_str(), own.c_str());
  }
  return own;
}

struct Files {
  base::Mutex mutex;
  std::map<std::pair<pid_t, std::string>, std::shared_ptr<TraceFile>> all WEIR_GUARDED_BY(mutex);
};

Files& files() {
  static auto* const the_files = new Files;
  return *the_files;
}

[[maybe_unused]] const bool kFilesAtFork = platform::hold_at_fork([]() -> base::Mutex& { return files().mutex; });

}  // namespace

base::Result<std::shared_ptr<TraceFile>> TraceFile::open(const std::string& path) {
  if (base::Status status = check_name(path); !status) return status;
  Files& known = files();
  const base::Lock lock(known.mutex);
  // What a forked child holds of its parent's file is not another's.
  const bool is_known = std::ranges::any_of(known.all, [&](const auto& file) { return file.first.second == path; });
  std::shared_ptr<TraceFile>& file = known.all[{getpid(), path}];
  if (file == nullptr) file.reset(new TraceFile(is_known ? path : own_file(path)));
  return file;
}

base::Status TraceFile::check(const std::string& path) {
  if (base::Status status = check_name(path); !status) return status;
  return named(platform::PartFile::check(path));
}

base::Result<std::uint16_t> TraceFile::begin(const ClockPair& opened) {
  const base::Lock lock(mutex_);
  if (index_.size() == kMostRuntimes) {
    return base::Status{
        base::Code::no_space,
        fmt::format("trace {}: has {} runtimes of this process, as many as a trace can have: give those "
                    "that follow the name of another file",
                    path_, kMostRuntimes)};
  }
  if (open_ == 0) {
    if (base::Status status = grow(); !status) return named(std::move(status));
  }
  index_.push_back({file_->bytes(), 0, 0});
  const auto runtime = static_cast<std::uint16_t>(index_.size());
  Encoder about;
  about << opened.ticks << opened.ns;
  if (base::Status status = write(runtime, ChunkKind::runtime, about.bytes()); !status) {
    index_.pop_back();
    return named(open_ > 0 ? std::move(status) : settle(std::move(status), true));
  }
  ++open_;
  return runtime;
}

// Behind what was there before.
base::Status TraceFile::grow() {
  if (file_ != nullptr) return file_->reopen();
  base::Result<std::unique_ptr<platform::PartFile>> file = platform::PartFile::create(path_);
  if (!file) return file.status();
  file_ = std::move(*file);
  sequence_ = 0;
  base::Status status = file_->append(as_text(make_head()));
  if (status) return status;
  file_->discard();  // there is nothing in it
  file_.reset();
  return status;
}

base::Status TraceFile::append(std::uint16_t runtime, ChunkKind kind, std::string_view bytes, std::uint32_t track,
                               std::uint32_t pass) {
  const base::Lock lock(mutex_);
  base::Status status = write(runtime, kind, bytes, track, pass);
  if (status && kind == ChunkKind::units) index_[runtime - 1u].units += bytes.size() / sizeof(Event);
  return status;
}

base::Status TraceFile::write(std::uint16_t runtime, ChunkKind kind, std::string_view bytes, std::uint32_t track,
                              std::uint32_t pass) {
  ChunkHead head{kChunkMagic,
                 0,
                 static_cast<std::uint16_t>(kind),
                 runtime,
                 track,
                 sequence_,
                 pass,
                 static_cast<std::uint32_t>(bytes.size()),
                 platform::crc32c(bytes),
                 0};
  head.head_checksum = checksum_of(head);
  base::Status status = file_->append(as_text(head), bytes);
  if (status) ++sequence_;
  return status;
}

base::Status TraceFile::end(std::uint16_t runtime, std::string_view summary) {
  {
    const base::Lock lock(mutex_);
    index_[runtime - 1u].summary_at = file_->bytes();
    base::Status status = write(runtime, ChunkKind::summary, summary);
    if (status) {
      ++ended_;
      return --open_ > 0 ? status : publish();
    }
    index_[runtime - 1u].summary_at = 0;
  }
  return give_up(runtime, {base::Code::io_error, fmt::format("{}: no room for its summary", path_)});
}

base::Status TraceFile::give_up(std::uint16_t, base::Status why) {
  const base::Lock lock(mutex_);
  if (--open_ > 0) return why;
  const bool is_wanted = !why;
  return settle(std::move(why), !is_wanted);
}

base::Status TraceFile::settle(base::Status why, bool is_empty) {
  if (ended_ > 0) {
    const base::Status others = publish();
    if (!others) why = {others.code, why ? others.message : why.message + "; " + others.message};
    return why;
  }
  if (is_empty) {
    file_->discard();
  } else if (!file_->part().empty()) {
    why.message += fmt::format("; {} has what was written before", file_->part());
  }
  file_.reset();
  index_.clear();
  return why;
}

base::Status TraceFile::publish() {
  base::Status status = put_in_place();
  if (status) {
    whole_ = {file_->bytes(), sequence_, index_.size(), ended_};
    return status;
  }
  if (whole_.ended == 0 || file_->part().empty()) return status;
  file_->shorten(whole_.bytes);
  sequence_ = whole_.sequence;
  index_.resize(whole_.runtimes);
  ended_ = whole_.ended;
  if (const base::Status before = put_in_place(); before)
    status.message += fmt::format("; it has what it had before, of {} runtimes", ended_);
  return status;
}

// The end is not counted: what follows is written in its place.
base::Status TraceFile::put_in_place() {
  ChunkHead head{kChunkMagic, 0, static_cast<std::uint16_t>(ChunkKind::end), 0, 0, sequence_, 0, 0, 0, 0};
  const std::string_view index(reinterpret_cast<const char*>(index_.data()), index_.size() * sizeof(IndexEntry));
  head.bytes = static_cast<std::uint32_t>(index.size());
  head.checksum = platform::crc32c(index);
  head.head_checksum = checksum_of(head);
  return file_->publish(std::string(as_text(head)) + std::string(index));
}

}  // namespace weir::trace
