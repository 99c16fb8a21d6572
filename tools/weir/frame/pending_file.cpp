// SPDX-License-Identifier: Apache-2.0

#include "pending_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace weir::tool {

namespace {

// A path is complete before `used` is set, and untouched until it is cleared: the signal handler may run in between.
struct Slot {
  std::atomic<bool> used = false;
  char path[PATH_MAX] = {};
  char part[PATH_MAX] = {};  // what a traced program that was killed has left beside it
};
Slot slots[PendingFile::kMost];

int take_slot(const std::string& path) {
  const std::string part = path + ".part";
  if (part.size() >= PATH_MAX) return -1;
  for (int i = 0; i < PendingFile::kMost; ++i) {
    if (slots[i].used) continue;
    std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
    std::memcpy(slots[i].part, part.c_str(), part.size() + 1);
    slots[i].used = true;
    return i;
  }
  return -1;
}

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
  file.slot_ = take_slot(file.temporary_);
  if (file.slot_ < 0) return io_error(path, ENAMETOOLONG);
  const int descriptor = open(file.temporary_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor < 0) return io_error(path, errno);
  close(descriptor);
  return file;
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : final_path_(std::move(other.final_path_)),
      temporary_(std::move(other.temporary_)),
      slot_(std::exchange(other.slot_, -1)) {}

PendingFile::~PendingFile() {
  if (slot_ < 0) return;
  unlink(temporary_.c_str());
  unlink(slots[slot_].part);
  slots[slot_].used = false;
}

base::Status PendingFile::commit() {
  if (slot_ < 0) return base::Status::success();
  if (std::rename(temporary_.c_str(), final_path_.c_str()) != 0) return io_error(final_path_, errno);
  slots[std::exchange(slot_, -1)].used = false;
  return base::Status::success();
}

void remove_pending_files() noexcept {
  for (Slot& slot : slots) {
    if (!slot.used) continue;
    unlink(slot.path);
    unlink(slot.part);
  }
}

}  // namespace weir::tool
