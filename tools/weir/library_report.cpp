// SPDX-License-Identifier: Apache-2.0

#include "library_report.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "file_names.hpp"
#include "platform/descriptor.hpp"

namespace weir::tool {

namespace {

constexpr off_t kRoom = 64 << 10;  // bytes: a line has 600 at most, and a process writes two

// 0, or the error: the disk keeps so much for the file, whose length stays 0. A file system that keeps nothing may have
// room.
int make_with_room(const std::string& path) {
  const platform::Descriptor file(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0666));
  if (!file.is_open()) return errno;
  if (::fallocate(file.number(), FALLOC_FL_KEEP_SIZE, 0, kRoom) == 0) return 0;
  return errno == ENOSPC || errno == EDQUOT ? errno : 0;
}

}  // namespace

base::Result<LibraryReport> LibraryReport::create(const std::string& purpose) {
  auto folder = TemporaryFolder::create("weir-memory-", purpose);
  if (!folder) return folder.status();
  std::string path = absolute_name(folder->name() + "/report");
  if (const int error = make_with_room(path))
    return base::Status{base::Code::io_error,
                        fmt::format("{}: {}: {}; let TMPDIR name another folder", purpose, path, std::strerror(error))};
  return LibraryReport(std::move(*folder), std::move(path));
}

bool LibraryReport::may_be_written() noexcept {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur > 0;
}

std::string LibraryReport::text() const {
  std::ifstream file(path_);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace weir::tool
