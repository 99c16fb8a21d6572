// SPDX-License-Identifier: Apache-2.0

#include "told_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "file_names.hpp"
#include "platform/signals_blocked.hpp"

namespace weir::tool {

ToldFile::ToldFile() {
  const char* const folder = std::getenv("TMPDIR");
  path_ = fmt::format("{}/weir-memory-XXXXXX", folder == nullptr || *folder == '\0' ? "/tmp" : absolute_name(folder));
  const platform::SignalsBlocked until_it_is_known;
  const int file = mkstemp(path_.data());
  if (file < 0) failure_ = errno;
  if (file < 0) return;
  close(file);
  if (auto known = platform::TemporaryName::of(path_)) known_ = std::move(*known);
}

ToldFile::~ToldFile() {
  if (failure_ == 0) unlink(path_.c_str());
}

base::Status ToldFile::status() const {
  if (failure_ == 0) return base::Status::success();
  return {base::Code::unsupported, fmt::format("cannot make {}: {}", path_, std::strerror(failure_))};
}

std::string ToldFile::text() const {
  std::ifstream file(path_);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace weir::tool
