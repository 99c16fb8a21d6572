// SPDX-License-Identifier: Apache-2.0

#include "temporary_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "platform/signals_blocked.hpp"

namespace weir::tool {

namespace fs = std::filesystem;

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
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) return base::Status{base::Code::io_error, purpose + ": no folder for temporary files: " + error.message()};
  return create(parent.string(), name, purpose);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!name_.empty()) fs::remove_all(name_, ignored);
}

}  // namespace weir::tool
