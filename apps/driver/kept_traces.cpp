// SPDX-License-Identifier: Apache-2.0

#include "kept_traces.hpp"

#include <fmt/format.h>

#include <system_error>

#include "base/joined.hpp"
#include "converted_trace.hpp"

namespace weir::tool {

KeptTraces::KeptTraces(const Global& global) {
  std::error_code error;
  const std::filesystem::path file = global.options.trace;
  const bool special = std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error);
  if (!file.empty() && global.keeps_traces && !special) file_ = file;
  as_ = global.trace_as.empty() ? file : std::filesystem::path(global.trace_as);
}

std::filesystem::path KeptTraces::name_for(const std::filesystem::path& file, const std::string& run) {
  std::filesystem::path name = file.stem();
  name += "." + run;
  name += file.extension();
  return file.parent_path() / name;
}

void KeptTraces::begin(const std::string& variant, int repetition, int repetitions) {
  if (file_.empty()) return;
  keep();
  run_ = repetitions == 1 ? variant : fmt::format("{}.{}", variant, repetition + 1);
  before_ = FileIdentity::of(file_);
}

// Runs that make no runtime leave none.
void KeptTraces::keep() {
  const FileIdentity now = FileIdentity::of(file_);
  if (run_.empty() || now == FileIdentity{} || now == before_) return;
  const std::string name = name_for(as_, run_).string();
  if (const base::Status status = convert_trace(file_.string(), name); !status) {
    fail(fmt::format("the trace of {} cannot be kept: {}", run_, status.message));
  } else {
    kept_.push_back(name);
  }
}

void KeptTraces::finish(Global& global) {
  if (file_.empty()) return;
  keep();
  run_.clear();
  if (kept_.empty()) return;
  global.print("traces   {}; the last one is {}, too\n", base::joined(kept_, ", "), as_.string());
}

}  // namespace weir::tool
