// SPDX-License-Identifier: Apache-2.0

#include "recording.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <utility>

namespace weir::tool {

FileIdentity FileIdentity::of(const std::filesystem::path& name) {
  struct stat about {};
  if (stat(name.c_str(), &about) != 0) return {};
  return {about.st_dev, about.st_ino,
          std::chrono::seconds(about.st_ctim.tv_sec) + std::chrono::nanoseconds(about.st_ctim.tv_nsec)};
}

Recording::Recording(std::string trace)
    : trace_(std::move(trace)),
      part_(trace_ + ".part"),
      trace_before_(FileIdentity::of(trace_)),
      part_before_(FileIdentity::of(part_)) {}

std::string Recording::part() const {
  const std::string recorded = path();
  return recorded == part_ ? recorded : "";
}

std::string Recording::path() const {
  struct stat about {};
  if (stat(trace_.c_str(), &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) return trace_;
  const auto is_new = [](const std::string& name, FileIdentity before) {
    const FileIdentity now = FileIdentity::of(name);
    return now != FileIdentity{} && now != before;
  };
  if (is_new(trace_, trace_before_)) return trace_;
  return is_new(part_, part_before_) ? part_ : "";
}

std::string Recording::path_of_copy(int copy) const {
  const std::string whole = fmt::format("{}.{}", trace_, copy), part = whole + ".part";
  for (const std::string& name : {whole, part})
    if (FileIdentity::of(name) != FileIdentity{}) return name;
  return "";
}

}  // namespace weir::tool
