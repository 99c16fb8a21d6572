// SPDX-License-Identifier: Apache-2.0

#include "file_names.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "recording.hpp"

namespace weir::tool {

namespace fs = std::filesystem;

bool is_same_file(const std::string& a, const std::string& b) {
  const FileIdentity file = FileIdentity::of(a);
  if (file != FileIdentity::of(b)) return false;
  std::error_code error;
  if (file != FileIdentity{}) return !fs::is_other(a, error);
  return fs::weakly_canonical(fs::absolute(a, error), error) == fs::weakly_canonical(fs::absolute(b, error), error);
}

std::string absolute_name(const std::string& name) {
  std::error_code error;
  const fs::path absolute = fs::absolute(name, error);
  return name.empty() || error ? name : absolute.string();
}

base::Status check_differ(std::initializer_list<NamedFile> files) {
  for (const NamedFile* second = files.begin(); second != files.end(); ++second) {
    for (const NamedFile* first = files.begin(); first != second; ++first) {
      if (first->name.empty() || second->name.empty() || !is_same_file(first->name, second->name)) continue;
      return {base::Code::bad_option, fmt::format("{} {}: is the same file as {} {}; give one of them another name",
                                                  second->role, second->name, first->role, first->name)};
    }
  }
  return base::Status::success();
}

}  // namespace weir::tool
