// SPDX-License-Identifier: Apache-2.0

#include "converted_trace.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace weir::tool {

namespace {

const TraceConverter* the_converter = nullptr;

bool is_converted(const std::string& path) {
  return the_converter != nullptr && (path.ends_with(".json") || path.ends_with(".otf2"));
}

base::Status copy_trace(const std::string& trace, const std::string& to) {
  std::error_code error;
  std::filesystem::remove(to, error);
  std::filesystem::create_hard_link(trace, to, error);
  if (error) std::filesystem::copy_file(trace, to, error);  // a file system without links
  if (!error) return base::Status::success();
  return {base::Code::io_error, fmt::format("{}: cannot be written: {}", to, error.message())};
}

}  // namespace

void convert_traces_with(const TraceConverter& converter) { the_converter = &converter; }

base::Status convert_trace(const std::string& trace, const std::string& to) {
  return is_converted(to) ? the_converter->convert(trace, to) : copy_trace(trace, to);
}

base::Result<ConvertedTrace> ConvertedTrace::begin(Global& global) {
  ConvertedTrace result;
  const std::string asked = global.options.trace;
  if (!is_converted(asked)) return result;
  if (base::Status status = the_converter->check(asked); !status) return status;
  auto trace = PendingFile::create(std::filesystem::path(asked).replace_extension(".weir").string());
  if (!trace) return base::Status{trace.status().code, "trace " + trace.status().message};
  global.trace_as = result.to_ = asked;
  global.options.trace = trace->path();
  result.trace_.emplace(std::move(*trace));
  result.recording_.emplace(global.options.trace);
  return result;
}

base::Status ConvertedTrace::finish() const {
  if (!recording_) return base::Status::success();
  const std::string recorded = recording_->path();
  return recorded.empty() ? base::Status::success() : convert_trace(recorded, to_);
}

}  // namespace weir::tool
