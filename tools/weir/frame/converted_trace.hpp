// SPDX-License-Identifier: Apache-2.0

// --trace run.json and --trace run.otf2: runtimes write a trace in Weir's own format, run.weir in a temporary folder
// beside it, of which the file that was asked for is made when the verb has returned.
//
// What converts is not part of the frame: the program that has it says so. One thread.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "global.hpp"
#include "recording.hpp"
#include "temporary_folder.hpp"

namespace weir::tool {

struct TraceConverter {
  // Whether that file can be written; leaves nothing behind.
  base::Status (*check)(const std::string& to);
  base::Status (*convert)(const std::string& trace, const std::string& to);
};

// For this process; before the first verb runs. Without one, a trace has Weir's own format.
void convert_traces_with(const TraceConverter& converter);
// With what was set. Of a name that is not converted, too: then it is a link to the trace, or a copy of it.
base::Status convert_trace(const std::string& trace, const std::string& to);

class ConvertedTrace {
 public:
  // When global.options.trace is to be converted, changes it to the temporary file, and global.trace_as is what it was.
  static base::Result<ConvertedTrace> begin(Global& global);
  // The verb has returned. What was recorded meanwhile is converted; nothing when nothing was. Of other copies of Weir
  // in the program it is in files of their own, run.2.json, which is said. False: the trace is not whole. When it
  // cannot be converted, for want of room, what was recorded stays beside the file that was asked for, as
  // run.json.weir.
  base::Result<bool> finish() const;

 private:
  static base::Status convert_or_keep(const std::string& recorded, const std::string& to);

  std::string to_;  // "": nothing is converted
  std::optional<TemporaryFolder> folder_;
  std::optional<Recording> recording_;
};

}  // namespace weir::tool
