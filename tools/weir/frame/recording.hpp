// SPDX-License-Identifier: Apache-2.0

// A trace that a run is to write under a name: what has come of it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>

namespace weir::tool {

// Which file a name stands for: a trace is a new file under the old name. Of a name without a file all 0.
struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;  // which a file system gives again to a file that is made when another has gone
  std::chrono::nanoseconds changed{0};
  static FileIdentity of(const std::filesystem::path& name);
  friend bool operator==(FileIdentity, FileIdentity) = default;
};

class Recording {
 public:
  // Made before the run.
  explicit Recording(std::string trace);
  // After it. What was recorded since: the trace, or the part that a program leaves which was killed; "": nothing, as
  // no runtime was made. What is no file (/dev/null) is as it was.
  std::string path() const;
  // After it: the trace is not whole, as it could not be written to its end; the name of the part that is left. Else
  // "".
  std::string part() const;
  // After it: what another copy of Weir in the program has recorded, from 2 (docs/tracing.md), whole or not; "":
  // nothing. Of a trace in a folder of its own, where nothing was before.
  std::string path_of_copy(int copy) const;

 private:
  std::string trace_, part_;
  FileIdentity trace_before_, part_before_;
};

}  // namespace weir::tool
