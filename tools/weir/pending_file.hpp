// A file that appears under its name only when it is complete.
//
// What is written goes to a temporary file beside it, which commit() renames; without commit(), or when Ctrl-C or
// SIGTERM ends the program, it is removed. At most kMost at a time in a process. Verbs use it for all they write.
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
  PendingFile(std::string final_path, std::string temporary, int slot);

  std::string final_path_;
  std::string temporary_;  // empty after commit() or a move
  int slot_;               // in the table that the signal handler reads
};

// From now on Ctrl-C, SIGTERM and SIGHUP remove pending files, take a progress line off the terminal, and end the
// program as that signal does (a shell sees 130 for Ctrl-C). Called once, by main().
void handle_interrupts();

}  // namespace weir::tool
