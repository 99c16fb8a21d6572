// SPDX-License-Identifier: Apache-2.0

#include "library_report.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "file_names.hpp"

namespace weir::tool {

base::Result<LibraryReport> LibraryReport::create(const std::string& purpose) {
  auto folder = TemporaryFolder::create("weir-memory-", purpose);
  if (!folder) return folder.status();
  std::string path = absolute_name(folder->name() + "/report");
  if (!std::ofstream(path))
    return base::Status{base::Code::io_error, fmt::format("{}: {}: {}", purpose, path, std::strerror(errno))};
  return LibraryReport(std::move(*folder), std::move(path));
}

std::string LibraryReport::text() const {
  std::ifstream file(path_);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace weir::tool
