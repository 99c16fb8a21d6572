// SPDX-License-Identifier: Apache-2.0

#include "converted_trace.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "print_error.hpp"

namespace weir::tool {

namespace {

namespace fs = std::filesystem;

const TraceConverter* the_converter = nullptr;

// t.json: t.2.json.
std::string name_of_copy(const fs::path& to, int copy) {
  const std::string name = fmt::format("{}.{}{}", to.stem().string(), copy, to.extension().string());
  return (to.parent_path() / name).string();
}

bool is_converted(const std::string& path) {
  return the_converter != nullptr && (path.ends_with(".json") || path.ends_with(".otf2"));
}

base::Status copy_trace(const std::string& trace, const std::string& to) {
  std::error_code error;
  fs::remove(to, error);
  fs::create_hard_link(trace, to, error);
  if (error) fs::copy_file(trace, to, error);  // a file system without links
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
  const fs::path to = asked;
  auto folder = TemporaryFolder::create(to.parent_path().string(), ".weir-trace-", "trace " + asked);
  if (!folder) return folder.status();
  global.trace_as = result.to_ = asked;
  global.options.trace = (fs::path(folder->name()) / to.filename()).replace_extension(".weir").string();
  result.folder_.emplace(std::move(*folder));
  result.recording_.emplace(global.options.trace);
  return result;
}

// A rename in the same file system needs no room.
base::Status ConvertedTrace::convert_or_keep(const std::string& recorded, const std::string& to) {
  base::Status status = convert_trace(recorded, to);
  if (status) return status;
  const std::string kept = to + (recorded.ends_with(".part") ? ".weir.part" : ".weir");
  std::error_code error;
  fs::rename(recorded, kept, error);
  if (!error) status.message += fmt::format("; {} is what was recorded, for weir trace --to and weir report", kept);
  return status;
}

base::Result<bool> ConvertedTrace::finish() const {
  if (!recording_) return true;
  base::Status failed = base::Status::success();
  const auto note = [&](base::Status status) {
    if (!status && !failed) print_error("weir: {}\n", failed.message);
    if (!status) failed = std::move(status);
  };
  for (int copy = 2;; ++copy) {
    const std::string trace = recording_->path_of_copy(copy);
    if (trace.empty()) break;
    const std::string to = name_of_copy(to_, copy);
    base::Status converted = convert_or_keep(trace, to);
    if (converted)
      print_error("weir: trace {}: what another copy of Weir in the program has recorded is in {}\n", to_, to);
    note(std::move(converted));
  }
  const std::string recorded = recording_->path();
  if (!recorded.empty()) note(convert_or_keep(recorded, to_));
  if (!failed) return failed;
  return recorded.empty() || recording_->part().empty();
}

}  // namespace weir::tool
