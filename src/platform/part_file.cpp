// SPDX-License-Identifier: Apache-2.0

#include "platform/part_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <utility>

#include "platform/descriptor.hpp"
#include "platform/file_io.hpp"
#include "platform/file_limit_signal.hpp"

namespace weir::platform {

namespace {

bool is_same(int fd, const std::string& path) noexcept {
  struct stat open {
  }, named{};
  return fstat(fd, &open) == 0 && stat(path.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

// This process has it open, and with a lock.
bool is_held_here(const std::string& path) {
  struct stat named {};
  if (stat(path.c_str(), &named) != 0) return false;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc/self/fd", error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    int fd = -1;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    struct stat open {};
    if (fstat(fd, &open) != 0 || open.st_ino != named.st_ino || open.st_dev != named.st_dev) continue;
    const Descriptor other(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return other.is_open() && flock(other.number(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  }
  return false;
}

base::Status check_kind(const std::string& path) {
  if (const int error = why_not_writable(path)) return io_error(path, error);
  if (!is_unfit_device(path)) return base::Status::success();
  return {base::Code::io_error, fmt::format("{}: cannot be written: it is a device: name a file or a pipe", path)};
}

// `error`: why no file can be made beside it.
base::Status no_place(const std::string& path, int error) {
  if (!is_removed(folder_of(resolved(path)))) return io_error(path, error);
  return {base::Code::io_error,
          fmt::format("{}: cannot be written: its folder has been removed; name another, or go to one that is there",
                      path)};
}

}  // namespace

PartFile::PartFile(std::string path) : path_(std::move(path)), final_(resolved(path_)) {}

base::Result<std::unique_ptr<PartFile>> PartFile::create(const std::string& path) {
  if (base::Status status = check_kind(path); !status) return status;
  std::unique_ptr<PartFile> file(new PartFile(path));
  file->fd_ = is_irregular(path) ? open_nameless("/tmp") : file->open_part();
  if (file->fd_ < 0) return no_place(path, errno);
  return file;
}

std::string PartFile::unshared(const std::string& path) {
  if (is_irregular(path)) return path;
  std::string name = path;
  for (int copy = 2; is_held_here(resolved(name)) || is_held_here(resolved(name) + ".part"); ++copy)
    name = fmt::format("{}.{}", path, copy);
  return name;
}

base::Status PartFile::check(const std::string& path) {
  if (base::Status status = check_kind(path); !status) return status;
  if (is_irregular(path)) return base::Status::success();
  const std::string part = resolved(path) + ".part";
  if (access(part.c_str(), W_OK) == 0) return base::Status::success();
  if (errno != ENOENT) return io_error(path, errno);
  const int fd = open_nameless(folder_of(part));
  if (fd < 0) return no_place(path, errno);
  close(fd);
  return base::Status::success();
}

PartFile::~PartFile() {
  if (fd_ >= 0) close(fd_);
}

// The lock says that a process is at it; one that was killed holds none.
int PartFile::open_part() {
  int fd = try_part(final_ + ".part", false);
  if (fd < 0 && errno == EWOULDBLOCK) fd = try_part(fmt::format("{}.{}.part", final_, getpid()), true);
  return fd;
}

// EWOULDBLOCK: another process is at it, or may be: where the file system has no locks (Lustre without -o flock, NFS
// without a lock daemon), a file that was there is nobody's but by its name.
int PartFile::try_part(const std::string& name, bool is_ours_by_name) {
  int fd = above_standard(open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666));
  const bool is_new = fd >= 0;
  if (!is_new && errno == EEXIST) fd = above_standard(open(name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666));
  if (fd < 0) return fd;
  int error = flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  if (error != 0 && error != EWOULDBLOCK) error = is_new || is_ours_by_name ? 0 : EWOULDBLOCK;
  if (error == 0 && !is_same(fd, name)) error = EWOULDBLOCK;  // put in place meanwhile
  if (error == 0 && ftruncate(fd, 0) != 0) error = errno;
  if (error == 0) {
    part_ = name;
    return fd;
  }
  close(fd);
  errno = error;
  return -1;
}

base::Status PartFile::append(std::string_view text, std::string_view more) {
  const FileLimitIsNoSignal no_signal;
  const base::Lock lock(mutex_);
  const auto at = static_cast<off_t>(bytes_);
  int error = write_all(fd_, text.data(), text.size(), at);
  if (error == 0) error = write_all(fd_, more.data(), more.size(), at + static_cast<off_t>(text.size()));
  if (error == 0) {
    bytes_ += text.size() + more.size();
    return base::Status::success();
  }
  [[maybe_unused]] const int unused =
      ftruncate(fd_, at);  // a file that ends in half of it is still one that ends early
  return io_error(path_, error);
}

int PartFile::copy_to(int fd) const {
  std::array<char, 1 << 14> buffer;  // of a stack that may be small
  for (std::uint64_t at = 0; at < bytes_;) {
    const std::size_t part = std::min<std::uint64_t>(buffer.size(), bytes_ - at);
    if (const int error = read_all(fd_, buffer.data(), part, at)) return error == kEndOfFile ? EIO : error;
    if (const int error = write_all(fd, buffer.data(), part, kStream)) return error;
    at += part;
  }
  return 0;
}

base::Status PartFile::publish(std::string_view end) {
  const FileLimitIsNoSignal no_signal;
  int error = 0;
  if (part_.empty()) {
    const int fd = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    error = fd < 0 ? errno : copy_to(fd);
    if (error == 0) error = write_all(fd, end.data(), end.size(), kStream);
    if (fd >= 0) close(fd);
  } else {
    error = write_all(fd_, end.data(), end.size(), static_cast<off_t>(bytes_));
    if (error == 0 && ftruncate(fd_, static_cast<off_t>(bytes_ + end.size())) != 0) error = errno;
    if (error == 0 && rename(part_.c_str(), final_.c_str()) != 0) error = errno;
    published_ = error == 0;
  }
  return error == 0 ? base::Status::success() : io_error(path_, error);
}

base::Status PartFile::reopen() {
  if (!published_) return base::Status::success();
  const FileLimitIsNoSignal no_signal;
  const std::string part = fmt::format("{}.{}.part", final_, getpid());
  int error = 0;
  if (is_same(fd_, final_)) {
    part_ = access((final_ + ".part").c_str(), F_OK) == 0 ? part : final_ + ".part";
    error = rename(final_.c_str(), part_.c_str()) == 0 ? 0 : errno;
    if (error == 0 && ftruncate(fd_, static_cast<off_t>(bytes_)) != 0) error = errno;
  } else {  // somebody has put another file there, or taken ours away
    const int fd = open_part();
    error = fd < 0 ? errno : copy_to(fd);
    if (error == 0) close(std::exchange(fd_, fd));
  }
  published_ = error != 0;
  return error == 0 ? base::Status::success() : io_error(path_, error);
}

void PartFile::discard() noexcept {
  if (!published_ && !part_.empty() && is_same(fd_, part_)) unlink(part_.c_str());
}

}  // namespace weir::platform
