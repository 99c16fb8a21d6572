// SPDX-License-Identifier: Apache-2.0

#include "platform/scratch_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "platform/file_io.hpp"

namespace weir::platform {

base::Result<ScratchFile> ScratchFile::create_for(const std::string& path) {
  if (const int error = why_not_writable(path)) return io_error(path, error);
  const int fd = open_nameless(is_irregular(path) ? "/tmp" : folder_of(resolved(path)));
  if (fd < 0) return io_error(path, errno);
  return ScratchFile(fd);
}

ScratchFile::~ScratchFile() {
  if (fd_ >= 0) close(fd_);
}

base::Status ScratchFile::append(std::span<const std::byte> bytes) {
  const int error =
      write_all(fd_, reinterpret_cast<const char*>(bytes.data()), bytes.size(), static_cast<off_t>(bytes_));
  if (error != 0) return io_error("a temporary file", error);
  bytes_ += bytes.size();
  return base::Status::success();
}

base::Status ScratchFile::read(std::uint64_t at, std::span<std::byte> to) const {
  if (read_all(fd_, to.data(), to.size(), at) == 0) return base::Status::success();
  return {base::Code::io_error, "a temporary file: cannot be read"};
}

void ScratchFile::forget(std::uint64_t before) const noexcept {
  // A file system that cannot keeps the bytes until the end: nothing but room is lost.
  [[maybe_unused]] const int unused =
      fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(before));
}

base::Status ScratchFile::shorten(std::uint64_t bytes) {
  if (ftruncate(fd_, static_cast<off_t>(bytes)) != 0) return io_error("a temporary file", errno);
  bytes_ = bytes;
  return base::Status::success();
}

}  // namespace weir::platform
