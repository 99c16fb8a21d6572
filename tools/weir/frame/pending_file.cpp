// SPDX-License-Identifier: Apache-2.0

#include "pending_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace weir::tool {

namespace {

base::Status io_error(const std::string& path, int error) {
  return {base::Code::io_error, fmt::format("{}: cannot be written: {}", path, std::strerror(error))};
}

bool writable(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  return file >= 0 && close(file) == 0;
}

// The file itself, so that a symbolic link stays one.
std::string resolved(const std::string& path) {
  char* real = realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string result = real;
  std::free(real);
  return result;
}

}  // namespace

base::Result<PendingFile> PendingFile::create(const std::string& path) {
  PendingFile file;
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    if (!writable(path)) return io_error(path, errno);
    file.temporary_ = path;
    return file;
  }
  if (exists && !writable(path)) return io_error(path, errno);
  file.final_path_ = exists ? resolved(path) : path;
  file.temporary_ = fmt::format("{}.{}.tmp", file.final_path_, getpid());
  if (platform::TemporaryName::is_known(file.temporary_))
    return base::Status{base::Code::bad_option,
                        path + ": is the same file as another that is to be written; give one of them another name"};
  auto name = platform::TemporaryName::of(file.temporary_), part = platform::TemporaryName::of(file.part());
  if (!name || !part) return io_error(path, ENAMETOOLONG);
  file.name_ = std::move(*name);
  file.name_of_part_ = std::move(*part);
  const int descriptor = open(file.temporary_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor < 0) return io_error(path, errno);
  close(descriptor);
  return file;
}

PendingFile::~PendingFile() {
  if (!name_) return;
  unlink(temporary_.c_str());
  unlink(part().c_str());
}

base::Status PendingFile::commit() {
  if (!name_) return base::Status::success();
  if (std::rename(temporary_.c_str(), final_path_.c_str()) != 0) return io_error(final_path_, errno);
  name_.forget();
  name_of_part_.forget();
  return base::Status::success();
}

}  // namespace weir::tool
