// SPDX-License-Identifier: Apache-2.0

// A file for a FileStore: opened without ever harming one that was there, and gone when it is closed.
//
// In a folder, or under a new name, it loses its name at once: no interrupt leaves it behind. A file that was there,
// and empty, keeps its name, is locked against other runs, and is empty again at the end.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/result.hpp"

namespace weir::memory {

class StoreFile {
 public:
  // Without the page cache where the file system can; where it cannot, one line on stderr says so.
  static base::Result<StoreFile> open(const std::string& path);
  StoreFile(StoreFile&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), was_there_(other.was_there_), name_(std::move(other.name_)) {}
  StoreFile& operator=(StoreFile&&) = delete;
  ~StoreFile();

  int descriptor() const noexcept { return fd_; }
  bool direct() const noexcept;
  const std::string& name() const noexcept { return name_; }  // for messages: "file tier /scratch"
  // What the file system would still give us, and the limit on file sizes allows.
  base::Result<std::uint64_t> free_bytes() const;

  // A file may not be longer (ulimit -f): beyond it a signal ends the process.
  static std::uint64_t longest() noexcept;

  // ---- Space on the disk ----
  // Makes [from, to) exist; an errno. Where the file system cannot promise space, the file only gets longer, and a full
  // disk shows at a write.
  int extend(std::uint64_t from, std::uint64_t to) const noexcept;
  // Gives the space of [from, to) back to the disk; the file stays as long as it is. An errno: EOPNOTSUPP where the
  // file system has no holes.
  int punch(std::uint64_t from, std::uint64_t to) const noexcept;

  // What an errno or platform::kEndOfFile means: whether space ran out, and what to do about it.
  static bool is_full(int error) noexcept;
  static const char* remedy(int error) noexcept;

 private:
  StoreFile(int fd, bool was_there, std::string name) noexcept
      : fd_(fd), was_there_(was_there), name_(std::move(name)) {}
  base::Status claim() const;
  void go_direct() const;

  int fd_;  // negative only after a move
  bool was_there_;
  std::string name_;
};

}  // namespace weir::memory
