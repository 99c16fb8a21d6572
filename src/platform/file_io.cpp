// SPDX-License-Identifier: Apache-2.0

#include "platform/file_io.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace weir::platform {

namespace {

// 0, or the errno of f(), which is called again when a signal has interrupted it.
template <class F>
int uninterrupted(const F& f) noexcept {
  while (f() != 0)
    if (errno != EINTR) return errno;
  return 0;
}

}  // namespace

base::Status io_error(const std::string& path, int error) {
  return {base::Code::io_error, fmt::format("{}: cannot be written: {}", path, std::strerror(error))};
}

std::string kind_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return "";
  return S_ISDIR(status.st_mode)    ? "a folder"
         : S_ISFIFO(status.st_mode) ? "a pipe"
         : S_ISSOCK(status.st_mode) ? "a socket"
                                    : "a device";
}

base::Status check_readable(const std::string& path) {
  const auto refuse = [&](base::Code code, std::string_view why) {
    return base::Status{code, fmt::format("{}: cannot be read: {}", path, why)};
  };
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return refuse(base::Code::not_found, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return refuse(base::Code::bad_input, "it is a folder");
  if (access(path.c_str(), R_OK) != 0) return refuse(base::Code::bad_input, std::strerror(errno));
  return base::Status::success();
}

int why_not_writable(const std::string& path) noexcept {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return 0;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  if (access(path.c_str(), W_OK) != 0) return errno;
  if (!S_ISREG(status.st_mode)) return 0;
  // Of a file that may only grow (chattr +a), and that another cannot take the place of, opening it tells.
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno == EPERM ? EPERM : 0;
  close(fd);
  return 0;
}

bool is_irregular(const std::string& path) noexcept {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

bool is_unfit_device(const std::string& path) noexcept {
  struct stat status {
  }, null{};
  if (stat(path.c_str(), &status) != 0 || !S_ISCHR(status.st_mode)) return false;
  return stat("/dev/null", &null) != 0 || status.st_rdev != null.st_rdev;
}

std::string resolved(const std::string& path) {
  char* const real = realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string result = real;
  std::free(real);
  return result;
}

bool is_removed(const std::string& folder) noexcept {
  struct stat status {};
  return stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_nlink == 0;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

int write_all(int fd, const char* data, std::size_t bytes, off_t at) noexcept {
  while (bytes > 0) {
    const ssize_t written = at == kStream ? write(fd, data, bytes) : pwrite(fd, data, bytes, at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    data += written;
    bytes -= static_cast<std::size_t>(written);
    if (at != kStream) at += written;
  }
  return 0;
}

int read_all(int fd, void* to, std::size_t bytes, std::uint64_t at) noexcept {
  auto* place = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = pread(fd, place, bytes, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? errno : kEndOfFile;
    place += got;
    at += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  return 0;
}

// tmpfs of older kernels ends when any signal comes, and gives all of the call back: less at a time ends between two.
int reserve_space(int fd, std::uint64_t from, std::uint64_t bytes) noexcept {
  constexpr std::uint64_t kLeast = std::uint64_t{2} << 20;  // the size of a large page
  for (std::uint64_t most = bytes; bytes > 0;) {
    const std::uint64_t piece = std::min(most, bytes);
    if (fallocate(fd, 0, static_cast<off_t>(from), static_cast<off_t>(piece)) == 0) {
      from += piece;
      bytes -= piece;
      continue;
    }
    if (errno != EINTR) return errno;
    most = std::max(piece / 2 / kLeast * kLeast, kLeast);
  }
  return 0;
}

int sync(int fd) noexcept {
  return uninterrupted([fd] { return fsync(fd); });
}
int sync_contents(int fd) noexcept {
  return uninterrupted([fd] { return fdatasync(fd); });
}

int open_nameless(const std::string& folder) {
  const int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
  std::string name = folder + "/.weir-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

}  // namespace weir::platform
