// ScratchFile: a file without a name, to which a name can be given once it is complete.
//
// However the process ends, nothing of it stays. (Where the file system has no files without a name, publish() writes
// under a temporary name, FILE.PID.tmp, which a signal in that moment leaves behind.) One thread at a time.
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
  // io_error, naming `path`, when that cannot be written later: no such folder, no right, a folder. A `path` that
  // exists and is no regular file (a pipe, a terminal) is written to by publish(), and the scratch is in /tmp.
  static base::Result<ScratchFile> create_for(const std::string& path);
  ScratchFile(ScratchFile&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)),
        can_be_named_(other.can_be_named_),
        published_(other.published_),
        bytes_(other.bytes_),
        folder_(std::move(other.folder_)) {}
  ScratchFile& operator=(ScratchFile&&) = delete;
  ~ScratchFile();

  // At its end. io_error when the disk is full.
  base::Status append(std::span<const std::byte> bytes);
  base::Status append(std::string_view text) { return append(std::as_bytes(std::span(text.data(), text.size()))); }
  std::uint64_t size() const noexcept { return bytes_; }

  // All that was appended, in memory, until the next append(). Empty when there is nothing. io_error.
  base::Result<std::span<const std::byte>> map();

  // Puts the contents, and `end` behind them, in place of `path`. What is appended later is not seen there; the first
  // append() after it copies what there is.
  base::Status publish(const std::string& path, std::string_view end);

 private:
  ScratchFile(int fd, bool can_be_named, std::string folder) noexcept
      : fd_(fd), can_be_named_(can_be_named), folder_(std::move(folder)) {}
  base::Status begin_anew();
  void unmap() noexcept;

  int fd_;                  // negative only after a move
  bool can_be_named_;       // by linkat()
  bool published_ = false;  // it has a name: nothing may change in it
  std::uint64_t bytes_ = 0;
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::string folder_;
};

}  // namespace weir::platform
