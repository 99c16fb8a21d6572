// SPDX-License-Identifier: Apache-2.0

#include "temporary_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "platform/signals_blocked.hpp"

namespace weir::tool {

namespace fs = std::filesystem;

std::string folder_of_temporary_files() {
  const char* const named = std::getenv("TMPDIR");
  return named == nullptr || named[0] == '\0' ? "/tmp" : named;
}

base::Result<TemporaryFolder> TemporaryFolder::create(const std::string& parent, const std::string& name,
                                                      const std::string& purpose) {
  std::string path = (fs::path(parent) / (name + "XXXXXX")).string();
  const platform::SignalsBlocked until_it_is_known;
  if (mkdtemp(path.data()) == nullptr)
    return base::Status{base::Code::io_error,
                        fmt::format("{}: {}: no folder can be made in it: {}", purpose, parent, std::strerror(errno))};
  auto known = platform::TemporaryName::of(path);
  if (!known) return known.status();
  return TemporaryFolder(std::move(path), std::move(*known));
}

base::Result<TemporaryFolder> TemporaryFolder::create(const std::string& name, const std::string& purpose) {
  const fs::path parent = folder_of_temporary_files();
  std::error_code error;
  if (fs::is_directory(parent, error)) return create(parent.string(), name, purpose);
  return base::Status{base::Code::bad_option,
                      fmt::format("{}: {}, the folder for temporary files (TMPDIR), {}; let TMPDIR name one that is "
                                  "there",
                                  purpose, parent.string(), error ? "is not there: " + error.message() : "is none")};
}

std::string TemporaryFolder::keep() {
  known_.forget();
  return std::exchange(name_, "");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!name_.empty()) fs::remove_all(name_, ignored);
}

}  // namespace weir::tool
