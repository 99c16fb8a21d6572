// SPDX-License-Identifier: Apache-2.0

// A file that appears under its name only when it is complete.
//
// What is written goes to a temporary file beside it, which commit() renames; without commit(), or when Ctrl-C or
// SIGTERM ends the program, it is removed. What exists and is no regular file (/dev/stdout, a pipe) is written to
// directly. One thread. Verbs use it for all they write.
#pragma once

#include <string>

#include "base/result.hpp"
#include "platform/temporary_name.hpp"

namespace weir::tool {

class PendingFile {
 public:
  // io_error when the folder of `path` does not exist or cannot be written to; checked before any work is done.
  // bad_option when there is another for the same file.
  static base::Result<PendingFile> create(const std::string& path);

  PendingFile(PendingFile&& other) = default;
  PendingFile& operator=(PendingFile&&) = delete;
  ~PendingFile();

  // The temporary file, which exists and is empty; write to it by name.
  const std::string& path() const noexcept { return temporary_; }

  // What could not be done with the temporary file, with the name that was asked for in place of its.
  base::Status by_its_name(base::Status status) const;

  // Makes it appear under its name, in place of what was there.
  base::Status commit();

 private:
  PendingFile() = default;
  base::Status make_temporary(const std::string& path);
  // What a traced program that was killed has left beside it.
  std::string part() const { return temporary_ + ".part"; }

  std::string final_path_;
  std::string temporary_;
  platform::TemporaryName name_, name_of_part_;  // none: nothing to remove or rename
};

}  // namespace weir::tool
