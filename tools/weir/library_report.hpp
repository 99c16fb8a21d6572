// SPDX-License-Identifier: Apache-2.0

// LibraryReport: a file to which a library that a program has loaded appends what it has to report to `weir run`, a
// line a write. It goes with its owner, or when a signal ends weir.
#pragma once

#include <string>
#include <utility>

#include "base/result.hpp"
#include "temporary_folder.hpp"

namespace weir::tool {

class LibraryReport {
 public:
  // io_error, which says what it is for: there is no such folder, or no room for it.
  static base::Result<LibraryReport> create(const std::string& purpose);

  // Also for a program that runs in another folder.
  const std::string& path() const noexcept { return path_; }
  // A folder of its own, in which the file is, for what goes with it.
  const std::string& folder() const noexcept { return folder_.name(); }
  // False: what this process starts may write to no file (ulimit -f 0).
  static bool may_be_written() noexcept;
  // What has been reported.
  std::string text() const;

 private:
  LibraryReport(TemporaryFolder folder, std::string path) : folder_(std::move(folder)), path_(std::move(path)) {}

  TemporaryFolder folder_;
  std::string path_;
};

}  // namespace weir::tool
