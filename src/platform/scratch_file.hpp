// SPDX-License-Identifier: Apache-2.0

// ScratchFile: a file without a name: however the process ends, nothing of it stays.
//
// One thread appends and shortens; read() and forget() are for any, of what was appended before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace weir::platform {

class ScratchFile {
 public:
  // In the folder of `path`. io_error, naming `path`, when nothing can be written there: no such folder, no right, a
  // folder itself. For a `path` that exists and is no regular file (a pipe, a terminal) it is in /tmp.
  static base::Result<ScratchFile> create_for(const std::string& path);
  ScratchFile(ScratchFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)), bytes_(other.bytes_) {}
  ScratchFile& operator=(ScratchFile&&) = delete;
  ~ScratchFile();

  // At its end. io_error when the disk is full: then nothing of it is there.
  base::Status append(std::span<const std::byte> bytes);
  std::uint64_t size() const noexcept { return bytes_; }

  // io_error; also when there is less.
  base::Status read(std::uint64_t at, std::span<std::byte> to) const;
  // What lies before is not read any more: its room on the disk is given back where the file system can.
  void forget(std::uint64_t before) const noexcept;
  // What lies behind so many bytes is not there any more. io_error.
  base::Status shorten(std::uint64_t bytes);

 private:
  explicit ScratchFile(int fd) noexcept : fd_(fd) {}

  int fd_;  // negative only after a move
  std::uint64_t bytes_ = 0;
};

}  // namespace weir::platform
