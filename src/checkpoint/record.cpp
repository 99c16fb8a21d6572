// SPDX-License-Identifier: Apache-2.0

#include "checkpoint/record.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "checkpoint/bytes.hpp"
#include "platform/crc32c.hpp"
#include "platform/file_io.hpp"
#include "platform/process.hpp"

namespace weir::checkpoint {

namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr std::uint64_t kRecordMagic = 0x33574b4352494557;  // "WEIRCKW3"

Encoder& operator<<(Encoder& to, const Submission::Mark& mark) { return to << mark.point << mark.tasks << mark.hash; }
Decoder& operator>>(Decoder& from, Submission::Mark& mark) { return from >> mark.point >> mark.tasks >> mark.hash; }

// Parts one behind the other, and their checksum.
class RecordFile {
 public:
  explicit RecordFile(const std::string& path)
      : path_(path), file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (!file_.is_open()) error_ = errno;
  }
  void write(std::string_view part) {
    sum_ = platform::crc32c(part, sum_);
    put(part);
  }
  Status finish() {
    put(bytes_of(sum_));
    if (error_ == 0) error_ = platform::sync(file_.number());
    return error_ == 0 ? Status::success() : platform::io_error(path_, error_);
  }

 private:
  void put(std::string_view part) {
    if (error_ == 0) error_ = platform::write_all(file_.number(), part.data(), part.size(), at_);
    at_ += part.size();
  }

  const std::string& path_;
  const platform::Descriptor file_;
  std::uint64_t at_ = 0;
  std::uint32_t sum_ = 0;
  int error_ = 0;
};

// The whole file, in one piece.
Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::string text;
  if (file) {
    text.resize(static_cast<std::size_t>(std::max<std::streamoff>(file.tellg(), 0)));
    file.seekg(0);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
  }
  if (!file) return Status{Code::io_error, fmt::format("{}: cannot be read: {}", path, std::strerror(errno))};
  return text;
}

}  // namespace

Status write_record(const std::string& path, const Record& record) {
  Encoder head, tail;
  head << kRecordMagic << record.at << record.ranks << std::uint64_t{record.marks.size()};
  for (const Submission::Mark& mark : record.marks) head << mark;
  head << std::uint64_t{record.variables.size()};
  tail << std::string_view(record.program) << record.runtime;
  RecordFile file(path);
  file.write(head.text());
  file.write(record.variables);  // may be large: it is copied nowhere
  file.write(tail.text());
  return file.finish();
}

Result<Record> read_record(const std::string& path) {
  const Result<std::string> read = read_file(path);
  if (!read) return read.status();
  const std::string& text = *read;
  const Status damaged{Code::bad_input, fmt::format("{}: the checksum does not fit: the checkpoint is damaged", path)};
  std::uint32_t sum = 0;
  if (text.size() < sizeof sum) return damaged;
  const std::string_view body = std::string_view(text).substr(0, text.size() - sizeof sum);
  std::memcpy(&sum, text.data() + body.size(), sizeof sum);
  if (platform::crc32c(body) != sum) return damaged;
  Decoder from(body);
  Record record;
  std::uint64_t magic = 0, marks = 0;
  from >> magic >> record.at >> record.ranks >> marks;
  for (std::uint64_t i = 0; i < marks && from.good(); ++i) from >> record.marks.emplace_back();
  from >> record.variables >> record.program >> record.runtime;
  if (magic != kRecordMagic || !from.good())
    return Status{Code::bad_input, fmt::format("{}: it is of another version of Weir, or no checkpoint", path)};
  return record;
}

}  // namespace weir::checkpoint
