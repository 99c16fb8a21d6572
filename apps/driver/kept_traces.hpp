// SPDX-License-Identifier: Apache-2.0

// Traces of runs that have a process each: every one is kept under a name of its own, beside the file that was asked
// for, which has the last. t.weir: t.weir-off.weir, t.weir-ahead.weir; with repetitions t.weir-off.2.weir.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "recording.hpp"
#include "verb.hpp"

namespace weir::tool {

class KeptTraces {
 public:
  // Does nothing when nothing is traced, or into what is no file (/dev/null), or only for --report.
  explicit KeptTraces(const Global& global);
  // A run begins, and the one before has ended. `repetition` counts from 0 to `repetitions`.
  void begin(const std::string& variant, int repetition, int repetitions);
  // The last one has ended: says what was kept. Failures are lines on standard error.
  void finish(Global& global);

  // The name for a run.
  static std::filesystem::path name_for(const std::filesystem::path& file, const std::string& run);

 private:
  void keep();

  std::filesystem::path file_;  // "": nothing is kept
  std::filesystem::path as_;    // what the user has asked for
  std::string run_;             // that is under way
  FileIdentity before_;         // of the file when it began
  std::vector<std::string> kept_;
};

}  // namespace weir::tool
