// SPDX-License-Identifier: Apache-2.0

#include "trace/reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "platform/file_io.hpp"

namespace weir::trace {

// A file, or what was read from a pipe.
class TraceSource {
 public:
  TraceSource(int fd, std::uint64_t bytes, std::string name) : name_(std::move(name)), fd_(fd), bytes_(bytes) {}
  TraceSource(std::string contents, std::string name)
      : name_(std::move(name)), contents_(std::move(contents)), bytes_(contents_.size()) {}
  TraceSource(const TraceSource&) = delete;
  TraceSource& operator=(const TraceSource&) = delete;
  ~TraceSource() {
    if (fd_ >= 0) close(fd_);
  }

  const std::string& name() const noexcept { return name_; }
  std::uint64_t bytes() const noexcept { return bytes_; }

  base::Status read(std::uint64_t at, char* to, std::size_t count) const {
    if (fd_ < 0) {
      std::memcpy(to, contents_.data() + at, count);
      return base::Status::success();
    }
    const int error = platform::read_all(fd_, to, count, at);
    if (error == 0) return base::Status::success();
    return {base::Code::io_error, error == platform::kEndOfFile
                                      ? fmt::format("{}: has become shorter while it was read", name_)
                                      : fmt::format("{}: cannot be read: {}", name_, std::strerror(error))};
  }

 private:
  const std::string name_;
  const int fd_ = -1;
  const std::string contents_;
  const std::uint64_t bytes_;
};

namespace {

constexpr std::size_t kWindow = std::size_t{1} << 20;

base::Status damaged_at(const std::string& name, std::uint64_t at, const std::string& where, const std::string& how) {
  return {base::Code::bad_input,
          fmt::format("{}: damaged at byte {}, {}: {}; copy it again, or trace the run again", name, at, where, how)};
}

base::Status no_trace(const std::string& name, std::string_view why) {
  return {base::Code::bad_input,
          fmt::format("{}: not a trace of Weir ({}); weir run --trace FILE.weir PROGRAM writes one", name, why)};
}

base::Status check_json(const std::string& name, std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return base::Status::success();
  return {base::Code::bad_input,
          fmt::format("{}: JSON is what weir trace makes of a trace, and cannot be read back; make a trace with "
                      "weir run --trace FILE.weir PROGRAM",
                      name)};
}

// A file whose first bytes have changed is a damaged trace, not another file.
bool looks_like_ours(const FileHead& head, std::string_view text) {
  int same = 0;
  for (std::size_t i = 0; i < sizeof kFileMagic; ++i) same += head.magic[i] == kFileMagic[i] ? 1 : 0;
  std::uint32_t chunk = 0;
  if (text.size() >= sizeof head + sizeof chunk) std::memcpy(&chunk, text.data() + sizeof head, sizeof chunk);
  return same >= 6 || chunk == kChunkMagic;
}

base::Status check_head(const std::string& name, std::string_view text) {
  if (text.empty()) return no_trace(name, "it is empty");
  if (base::Status status = check_json(name, text); !status) return status;
  FileHead head{};
  if (text.size() < sizeof head) {
    const bool begins = std::string_view(kFileMagic, sizeof kFileMagic).starts_with(text.substr(0, sizeof kFileMagic));
    return no_trace(name, begins ? "it ends before its head does" : "its head is not that of one");
  }
  std::memcpy(&head, text.data(), sizeof head);
  if (!looks_like_ours(head, text)) return no_trace(name, "its head is not that of one");
  if (head.byte_order == __builtin_bswap32(kByteOrder)) {
    return no_trace(name, "it was written by a machine with the other byte order, on which it can be read");
  }
  const bool whole = head.checksum == checksum_of(head) && std::memcmp(head.magic, kFileMagic, sizeof kFileMagic) == 0;
  if (!whole) return damaged_at(name, 0, "in its head", "it does not have the checksum that it says");
  if (head.version == kFormatVersion) return base::Status::success();
  return no_trace(name,
                  fmt::format("its format is version {}, this weir reads version {}", head.version, kFormatVersion));
}

}  // namespace

const std::string* RuntimeInfo::name_in(const Event& event) const {
  const auto found = texts.find(event.value());
  return event.value() == 0 || found == texts.end() ? nullptr : &found->second;
}

// ---- Chunks ----

ChunkCursor::ChunkCursor(std::shared_ptr<TraceSource> source, std::uint64_t end)
    : source_(std::move(source)), at_(sizeof(FileHead)), end_(end) {}

base::Status ChunkCursor::damaged(const std::string& how) const {
  return damaged_at(source_->name(), at_, fmt::format("chunk {}", sequence_), how);
}

// What follows `at_`, of which so much is there.
base::Result<std::string_view> ChunkCursor::bytes(std::uint64_t count) {
  if (at_ < window_at_ || at_ + count > window_at_ + window_bytes_) {
    window_bytes_ = std::min<std::uint64_t>(std::max<std::uint64_t>(count, kWindow), end_ - at_);
    window_.resize(std::max<std::size_t>(window_.size(), (window_bytes_ + 7) / 8));
    window_at_ = at_;
    base::Status status = source_->read(at_, reinterpret_cast<char*>(window_.data()), window_bytes_);
    if (!status) return status;
  }
  return std::string_view(reinterpret_cast<const char*>(window_.data()) + (at_ - window_at_), count);
}

// False: no whole head is left, or only what the system had not written when it went down.
base::Result<bool> ChunkCursor::next_head(ChunkHead& head) {
  if (end_ - at_ < sizeof head) return false;
  base::Result<std::string_view> text = bytes(sizeof head);
  if (!text) return text.status();
  std::memcpy(&head, text->data(), sizeof head);
  if (head.magic == kChunkMagic && head.head_checksum == checksum_of(head)) return true;
  const std::uint64_t at = at_;
  bool zeros = true;
  while (zeros && at_ < end_) {
    text = bytes(std::min<std::uint64_t>(kWindow, end_ - at_));
    if (!text) return text.status();
    zeros = text->find_first_not_of('\0') == std::string_view::npos;
    at_ += text->size();
  }
  at_ = at;
  if (zeros) return false;
  return damaged("its head does not have the checksum that it says");
}

base::Result<bool> ChunkCursor::next(Chunk& chunk) {
  ChunkHead head{};
  base::Result<bool> there = next_head(head);
  if (!there || !*there) return there;
  if (head.sequence != sequence_) return damaged(fmt::format("chunk {} stands in its place", head.sequence));
  if (head.bytes > kMostChunk || head.bytes % 8 != 0) return damaged(fmt::format("a length of {} bytes", head.bytes));
  if (end_ - at_ - sizeof head < head.bytes) return false;
  base::Result<std::string_view> text = bytes(sizeof head + head.bytes);
  if (!text) return text.status();
  chunk = {at_, static_cast<ChunkKind>(head.kind), head.runtime, head.track, head.pass, text->substr(sizeof head), {}};
  if (platform::crc32c(chunk.bytes) != head.checksum) {
    return damaged("its contents do not have the checksum that its head says");
  }
  if (chunk.kind == ChunkKind::units) {
    if (head.bytes % sizeof(Event) != 0) return damaged("it ends within an event");
    chunk.units = {reinterpret_cast<const Event*>(chunk.bytes.data()), chunk.bytes.size() / sizeof(Event)};
  }
  at_ += sizeof head + head.bytes;
  ++sequence_;
  return true;
}

// ---- The file ----

TraceReader::TraceReader(std::shared_ptr<TraceSource> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)) {}

base::Result<TraceReader> TraceReader::open(const std::string& path) {
  if (base::Status status = platform::check_readable(path); !status) return status;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about {};
  if (fd < 0 || fstat(fd, &about) != 0) {
    if (fd >= 0) close(fd);
    return base::Status{base::Code::io_error, fmt::format("{}: cannot be read: {}", path, std::strerror(errno))};
  }
  if (S_ISREG(about.st_mode)) {
    TraceReader reader(std::make_shared<TraceSource>(fd, static_cast<std::uint64_t>(about.st_size), path), path);
    if (base::Status status = reader.look_through(); !status) return status;
    return reader;
  }
  std::string contents;               // of a pipe
  std::vector<char> buffer(1 << 16);  // more than some stacks have
  for (ssize_t got = 0; (got = ::read(fd, buffer.data(), buffer.size())) != 0;) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) contents.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(fd);
  return of(std::move(contents), path);
}

base::Result<TraceReader> TraceReader::of(std::string contents, const std::string& name) {
  TraceReader reader(std::make_shared<TraceSource>(std::move(contents), name), name);
  if (base::Status status = reader.look_through(); !status) return status;
  return reader;
}

ChunkCursor TraceReader::chunks() const { return {source_, end_}; }

TimeScale TraceReader::scale(const RuntimeInfo& runtime) const noexcept {
  return {runtime.opened, runtime.compared, runtimes_.front().opened.ns};
}

base::Status TraceReader::look_through() {
  std::string head(std::min<std::uint64_t>(source_->bytes(), sizeof(FileHead) + sizeof(ChunkHead)), '\0');
  if (base::Status status = source_->read(0, head.data(), head.size()); !status) return status;
  if (base::Status status = check_head(name_, head); !status) return status;
  ChunkCursor cursor(source_, source_->bytes());
  Chunk chunk;
  bool ended = false;
  for (;;) {
    const base::Result<bool> more = cursor.next(chunk);
    if (!more) return more.status();
    if (!*more) break;
    if (ended) return damaged_at(name_, chunk.at, "behind its end", "another chunk");
    if (base::Status status = take(chunk, ended); !status) return status;
  }
  end_ = cursor.at();
  ends_early_ = !ended;
  if (ended && end_ != source_->bytes()) return damaged_at(name_, end_, "behind its end", "something more");
  if (runtimes_.empty()) return no_trace(name_, "it ends before its first runtime begins");
  return base::Status::success();
}

// A chunk of a kind that is not known is passed over: later versions may have more.
base::Status TraceReader::take(const Chunk& chunk, bool& ended) {
  const auto wrong = [&](std::string_view what) {
    return damaged_at(name_, chunk.at, "in a chunk whose checksum is right", std::string(what));
  };
  if (chunk.kind == ChunkKind::end) {
    ended = true;
    return base::Status::success();
  }
  Decoder decoder(chunk.bytes);
  if (chunk.kind == ChunkKind::runtime) {
    if (chunk.runtime != runtimes_.size() + 1) return wrong(fmt::format("runtime {} begins", chunk.runtime));
    RuntimeInfo& runtime = runtimes_.emplace_back();
    runtime.number = chunk.runtime;
    runtime.opened = {decoder.word(), decoder.word()};
    runtime.compared = {runtime.opened.ticks + 1, runtime.opened.ns + 1};
    return decoder.whole() ? base::Status::success() : wrong("it is too short");
  }
  if (chunk.runtime == 0 || chunk.runtime > runtimes_.size()) return wrong(fmt::format("no runtime {}", chunk.runtime));
  RuntimeInfo& runtime = runtimes_[chunk.runtime - 1u];
  switch (chunk.kind) {
    case ChunkKind::name: return define(chunk, runtime);
    case ChunkKind::clock: runtime.compared = {decoder.word(), decoder.word()}; break;
    case ChunkKind::settings: runtime.settings = decode_settings(decoder); break;
    case ChunkKind::summary:
      runtime.summary = decode_summary(decoder, runtime.lost);
      runtime.ended = true;
      break;
    case ChunkKind::units:
      if (chunk.track >= runtime.tracks.size()) return wrong(fmt::format("no track {}", chunk.track));
      runtime.units += chunk.units.size();
      break;
    default: break;
  }
  return decoder.whole() ? base::Status::success() : wrong("it is too short");
}

base::Status TraceReader::define(const Chunk& chunk, RuntimeInfo& runtime) {
  for (Decoder decoder(chunk.bytes); !decoder.at_end();) {
    Definition definition = decode_definition(decoder);
    std::vector<Definition>* const list = definition.what == Named::track   ? &runtime.tracks
                                          : definition.what == Named::block ? &runtime.blocks
                                          : definition.what == Named::tier  ? &runtime.tiers
                                                                            : nullptr;
    const bool in_order = list == nullptr || definition.number == list->size();
    if (!decoder.whole() || !in_order) {
      return damaged_at(name_, chunk.at, "in a chunk whose checksum is right", "a name that cannot be");
    }
    if (list != nullptr)
      list->push_back(std::move(definition));
    else if (definition.what == Named::group)
      runtime.groups.push_back(std::move(definition));
    else if (definition.what == Named::text)
      runtime.texts[definition.number] = std::move(definition.name);
  }
  return base::Status::success();
}

}  // namespace weir::trace
