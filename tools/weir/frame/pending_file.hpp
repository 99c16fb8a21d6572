// SPDX-License-Identifier: Apache-2.0

// A file that appears under its name only when it is complete.
//
// What is written goes to a temporary file beside it, which commit() renames; without commit(), or when Ctrl-C or
// SIGTERM ends the program, it is removed. What exists and is no regular file (/dev/stdout, a pipe) is written to
// directly. At most kMost at a time in a process; one thread. Verbs use it for all they write.
#pragma once

#include <string>

#include "base/result.hpp"

namespace weir::tool {

class PendingFile {
 public:
  static constexpr int kMost = 16;

  // io_error when the folder of `path` does not exist or cannot be written to; checked before any work is done.
  static base::Result<PendingFile> create(const std::string& path);

  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;
  ~PendingFile();

  // The temporary file, which exists and is empty; write to it by name.
  const std::string& path() const noexcept { return temporary_; }

  // Makes it appear under its name, in place of what was there.
  base::Status commit();

 private:
  PendingFile() = default;

  std::string final_path_;
  std::string temporary_;
  int slot_ = -1;  // in the table that the signal handler reads; -1: nothing to remove or rename
};

// Removes the temporary file of every PendingFile. Async-signal-safe: for the handler in interrupt.cpp.
void remove_pending_files() noexcept;

}  // namespace weir::tool
