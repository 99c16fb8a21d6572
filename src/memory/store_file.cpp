// SPDX-License-Identifier: Apache-2.0

#include "memory/store_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "platform/file_io.hpp"

namespace weir::memory {
namespace {

base::Status failed(const std::string& name, const char* what, int error) {
  const auto code = error == ENOENT ? base::Code::not_found : base::Code::io_error;
  return {code, fmt::format("{}: {}: {}", name, what, std::generic_category().message(error))};
}

int without_name(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return fd;
  std::string path = folder + "/.weir-XXXXXX";  // a file system without O_TMPFILE
  const int made = mkostemp(path.data(), O_CLOEXEC);
  if (made >= 0) unlink(path.c_str());
  return made;
}

int new_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) unlink(path.c_str());
  return fd;
}

}  // namespace

base::Result<StoreFile> StoreFile::open(const std::string& path) {
  const std::string name = "file tier " + path;
  struct stat found {};
  const bool exists = stat(path.c_str(), &found) == 0;
  if (!exists && errno != ENOENT) return failed(name, "cannot be looked at", errno);
  if (exists && !S_ISDIR(found.st_mode) && !S_ISREG(found.st_mode)) {
    return base::Status{base::Code::bad_option,
                        fmt::format("{}: it is neither a folder nor a file; name a folder, or a file to make", name)};
  }
  const bool was_there = exists && S_ISREG(found.st_mode);
  const int fd = was_there ? ::open(path.c_str(), O_RDWR | O_CLOEXEC) : exists ? without_name(path) : new_file(path);
  if (fd < 0) return failed(name, was_there ? "cannot be opened" : "no file can be made", errno);
  StoreFile file(fd, false, name);
  if (was_there) {
    if (auto status = file.claim(); !status) return status;
    file.was_there_ = true;
  }
  file.go_direct();
  return file;
}

base::Status StoreFile::claim() const {
  const int error = flock(fd_, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  if (error != 0 && error != EWOULDBLOCK) {  // Lustre without -o flock, NFS without a lock daemon
    return {base::Code::unsupported,
            fmt::format("{}: its file system has no locks ({}), so that another program could use it too; name a "
                        "folder, or a file to make",
                        name_, std::generic_category().message(error))};
  }
  if (error != 0) {
    return {base::Code::bad_option, fmt::format("{}: another program uses it; name a folder, or another file", name_)};
  }
  struct stat now {};
  if (fstat(fd_, &now) != 0) return failed(name_, "cannot be looked at", errno);
  if (now.st_size == 0) return base::Status::success();
  return {base::Code::bad_option,
          fmt::format("{}: a file with {} bytes is there, and is left alone; name a folder, or a file to make", name_,
                      now.st_size)};
}

void StoreFile::go_direct() const {
  if (fcntl(fd_, F_SETFL, O_DIRECT) == 0) return;
  static std::atomic<bool> warned{false};
  if (warned.exchange(true)) return;
  std::fprintf(stderr,
               "weir: %s: its file system has no O_DIRECT; the page cache is used, which takes memory outside of the "
               "budgets of the tiers\n",
               name_.c_str());
}

StoreFile::~StoreFile() {
  if (fd_ < 0) return;
  if (was_there_ && ftruncate(fd_, 0) != 0) std::perror(("weir: " + name_ + " is left with what is in it").c_str());
  close(fd_);
}

bool StoreFile::direct() const noexcept { return (fcntl(fd_, F_GETFL) & O_DIRECT) != 0; }

base::Result<std::uint64_t> StoreFile::free_bytes() const {
  struct statvfs found {};
  if (fstatvfs(fd_, &found) != 0) return failed(name_, "the free space is not known", errno);
  if (found.f_blocks == 0) return longest();  // a file system that does not say how large it is
  return std::min(static_cast<std::uint64_t>(found.f_bavail) * found.f_frsize, longest());
}

std::uint64_t StoreFile::longest() noexcept {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  return limit.rlim_cur;
}

int StoreFile::extend(std::uint64_t from, std::uint64_t to) const noexcept {
  const int error = platform::reserve_space(fd_, from, to - from);
  if (error != EOPNOTSUPP && error != ENOSYS) return error;
  struct stat now {};
  if (fstat(fd_, &now) == 0 && static_cast<std::uint64_t>(now.st_size) >= to) return 0;
  return ftruncate(fd_, static_cast<off_t>(to)) == 0 ? 0 : errno;
}

int StoreFile::punch(std::uint64_t from, std::uint64_t to) const noexcept {
  constexpr int kHole = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  while (fallocate(fd_, kHole, static_cast<off_t>(from), static_cast<off_t>(to - from)) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

bool StoreFile::is_full(int error) noexcept { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

const char* StoreFile::remedy(int error) noexcept {
  if (is_full(error)) return "free space there, raise the quota or the limit, or give the tier less";
  if (error == platform::kEndOfFile) return "leave the file alone while the program runs";
  return "look for the disk's errors in the kernel's log, or name a place on another disk";
}

}  // namespace weir::memory
