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

#include "platform/signals_blocked.hpp"

namespace weir::tool {

namespace {

constexpr int kMostNames = 100;

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
  if (base::Status made = file.make_temporary(path); !made) return made;
  return file;
}

// What is there by a name is another's, and stays as it is: a link would lead anywhere.
base::Status PendingFile::make_temporary(const std::string& path) {
  const platform::SignalsBlocked until_it_is_known;
  for (int more = 0; more < kMostNames; ++more) {
    const std::string number = more == 0 ? "" : fmt::format("-{}", more);
    temporary_ = fmt::format("{}.{}{}.tmp", final_path_, getpid(), number);
    if (platform::TemporaryName::is_known(temporary_))
      return {base::Code::bad_option,
              path + ": is the same file as another that is to be written; give one of them another name"};
    const int descriptor = open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor < 0) return io_error(path, errno);
    close(descriptor);
    auto name = platform::TemporaryName::of(temporary_), part_name = platform::TemporaryName::of(part());
    if (!name || !part_name) {
      unlink(temporary_.c_str());
      return io_error(path, ENAMETOOLONG);
    }
    name_ = std::move(*name);
    name_of_part_ = std::move(*part_name);
    return base::Status::success();
  }
  return io_error(temporary_, EEXIST);
}

PendingFile::~PendingFile() {
  if (!name_) return;
  unlink(temporary_.c_str());
  unlink(part().c_str());
}

base::Status PendingFile::by_its_name(base::Status status) const {
  if (!name_) return status;
  for (std::size_t at = 0; (at = status.message.find(temporary_, at)) != std::string::npos; at += final_path_.size())
    status.message.replace(at, temporary_.size(), final_path_);
  return status;
}

base::Status PendingFile::commit() {
  if (!name_) return base::Status::success();
  if (std::rename(temporary_.c_str(), final_path_.c_str()) != 0) return io_error(final_path_, errno);
  name_.forget();
  name_of_part_.forget();
  return base::Status::success();
}

}  // namespace weir::tool
