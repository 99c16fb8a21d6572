// SPDX-License-Identifier: Apache-2.0

#include "checkpoint/record.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

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

}  // namespace

Status write_record(const std::string& path, const Record& record) {
  Encoder to;
  to << kRecordMagic << record.at << record.ranks << std::uint64_t{record.marks.size()};
  for (const Submission::Mark& mark : record.marks) to << mark;
  to << std::string_view(record.variables) << std::string_view(record.program) << record.runtime;
  const std::string text = to.text() + std::string(bytes_of(platform::crc32c(to.text())));
  const platform::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.is_open()) return platform::io_error(path, errno);
  int error = platform::write_all(file.number(), text.data(), text.size(), 0);
  if (error == 0) error = platform::sync(file.number());
  return error == 0 ? Status::success() : platform::io_error(path, error);
}

Result<Record> read_record(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status{Code::io_error, fmt::format("{}: cannot be read: {}", path, std::strerror(errno))};
  const std::string text{std::istreambuf_iterator<char>(file), {}};
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
