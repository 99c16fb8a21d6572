#include "platform/scratch_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace weir::platform {

namespace {

base::Status io_error(const std::string& path, int error) {
  return {base::Code::io_error, fmt::format("{}: cannot be written: {}", path, std::strerror(error))};
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool exists_irregular(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

// The file that a symbolic link stands for, so that the link stays one.
std::string resolved(const std::string& path) {
  char* const real = realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string result = real;
  std::free(real);
  return result;
}

struct Nameless {
  int fd;
  bool can_be_named;
};

Nameless open_nameless(const std::string& folder) {
  const int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return {fd, true};
  std::string name = folder + "/.weir-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return {named, false};
}

// At a place of a file, or at the end of a pipe (kStream).
constexpr off_t kStream = -1;
int write_all(int fd, const char* data, std::size_t bytes, off_t at) {
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

struct OpenFile {
  int fd;
  ~OpenFile() {
    if (fd >= 0) close(fd);
  }
};

// Gives a complete file without a name its own, by way of a temporary one: linkat() replaces nothing.
int give_name(int fd, const std::string& temporary, const std::string& path) {
  const std::string self = fmt::format("/proc/self/fd/{}", fd);
  unlink(temporary.c_str());
  if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW) != 0) return errno;
  return rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
}

int copy(int to, std::span<const std::byte> contents, std::string_view end) {
  if (const int error = write_all(to, reinterpret_cast<const char*>(contents.data()), contents.size(), kStream)) {
    return error;
  }
  return write_all(to, end.data(), end.size(), kStream);
}

int write_named(const std::string& temporary, const std::string& path, std::span<const std::byte> contents,
                std::string_view end) {
  const OpenFile file{open(temporary.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666)};
  if (file.fd < 0) return errno;
  int error = copy(file.fd, contents, end);
  if (error == 0 && rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) unlink(temporary.c_str());
  return error;
}

}  // namespace

base::Result<ScratchFile> ScratchFile::create_for(const std::string& path) {
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return io_error(path, EISDIR);
  if (exists && access(path.c_str(), W_OK) != 0) return io_error(path, errno);
  const bool irregular = exists && !S_ISREG(status.st_mode);
  std::string folder = irregular ? "/tmp" : folder_of(exists ? resolved(path) : path);
  const Nameless file = open_nameless(folder);
  if (file.fd < 0) return io_error(path, errno);
  return ScratchFile(file.fd, file.can_be_named, std::move(folder));
}

ScratchFile::~ScratchFile() {
  unmap();
  if (fd_ >= 0) close(fd_);
}

base::Status ScratchFile::append(std::span<const std::byte> bytes) {
  if (published_) {
    if (base::Status status = begin_anew(); !status) return status;
  }
  unmap();
  const int error =
      write_all(fd_, reinterpret_cast<const char*>(bytes.data()), bytes.size(), static_cast<off_t>(bytes_));
  if (error != 0) return io_error("a temporary file", error);
  bytes_ += bytes.size();
  return base::Status::success();
}

// What has a name stays as it is: a copy is what grows.
base::Status ScratchFile::begin_anew() {
  const auto contents = map();
  if (!contents) return contents.status();
  const Nameless file = open_nameless(folder_);
  int error = file.fd < 0 ? errno : 0;
  if (error == 0) error = write_all(file.fd, reinterpret_cast<const char*>(contents->data()), contents->size(), 0);
  unmap();
  if (error != 0) {
    if (file.fd >= 0) close(file.fd);
    return io_error("a temporary file", error);
  }
  close(std::exchange(fd_, file.fd));
  can_be_named_ = file.can_be_named;
  published_ = false;
  return base::Status::success();
}

base::Result<std::span<const std::byte>> ScratchFile::map() {
  unmap();
  if (bytes_ == 0) return std::span<const std::byte>();
  void* const at = mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, fd_, 0);
  if (at == MAP_FAILED) return io_error("a temporary file", errno);
  mapped_ = at;
  mapped_bytes_ = bytes_;
  return std::span(static_cast<const std::byte*>(at), mapped_bytes_);
}

void ScratchFile::unmap() noexcept {
  if (mapped_ != nullptr) munmap(std::exchange(mapped_, nullptr), mapped_bytes_);
}

base::Status ScratchFile::publish(const std::string& path, std::string_view end) {
  if (exists_irregular(path)) {
    const auto contents = map();
    if (!contents) return contents.status();
    const OpenFile file{open(path.c_str(), O_WRONLY | O_CLOEXEC)};
    const int error = file.fd < 0 ? errno : copy(file.fd, *contents, end);
    unmap();
    return error == 0 ? base::Status::success() : io_error(path, error);
  }
  if (published_) {
    if (base::Status status = begin_anew(); !status) return status;
  }
  const std::string final_path = resolved(path);
  const std::string temporary = fmt::format("{}.{}.tmp", final_path, getpid());
  if (can_be_named_) {
    const int error = write_all(fd_, end.data(), end.size(), static_cast<off_t>(bytes_));
    if (error != 0) return io_error(path, error);
    published_ = give_name(fd_, temporary, final_path) == 0;
    if (published_) return base::Status::success();
  }
  const auto contents = map();
  if (!contents) return contents.status();
  const int error = write_named(temporary, final_path, *contents, end);
  unmap();
  return error == 0 ? base::Status::success() : io_error(path, error);
}

}  // namespace weir::platform
