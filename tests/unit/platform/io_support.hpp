// SPDX-License-Identifier: Apache-2.0

// For tests of file I/O: a file without a name, memory as O_DIRECT wants it, and requests that can be waited for.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "base/check.hpp"
#include "platform/async_io.hpp"

namespace weir::platform {

inline std::string temporary_folder() { return std::filesystem::temp_directory_path().string(); }

class TestFile {
 public:
  explicit TestFile(int flags = 0, const std::string& folder = temporary_folder())
      : fd_(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | flags, 0600)) {}
  ~TestFile() {
    if (fd_ >= 0) close(fd_);
  }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;

  int fd() const { return fd_; }  // negative when the file system has no such files, or not with these flags

 private:
  int fd_;
};

class AlignedMemory {
 public:
  explicit AlignedMemory(std::size_t bytes, int value = 0)
      : bytes_(bytes), data_(static_cast<std::byte*>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096))) {
    std::fill_n(data_.get(), bytes, static_cast<std::byte>(value));
  }
  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return bytes_; }
  std::span<std::byte> span() const { return {data_.get(), bytes_}; }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> data_;
};

// A request and the place to wait for its answer.
class Waited {
 public:
  Waited() = default;
  Waited(int fd, bool write, std::uint64_t offset, std::byte* data, std::size_t bytes) {
    set(fd, write, offset, data, bytes);
  }
  Waited(const Waited&) = delete;
  Waited& operator=(const Waited&) = delete;

  void set(int fd, bool write, std::uint64_t offset, std::byte* data, std::size_t bytes) {
    request.fd = fd;
    request.write = write;
    request.offset = offset;
    request.data = data;
    request.bytes = bytes;
    request.done = answered;
    request.user = this;
  }

  Waited& submit_to(AsyncIo& io) {
    answers_ = 0;
    io.submit(&request);
    return *this;
  }
  base::Status wait() {
    std::unique_lock lock(mutex_);
    answered_.wait(lock, [this] { return answers_ > 0; });
    return status_;
  }
  int answers() {
    std::lock_guard lock(mutex_);
    return answers_;
  }

  IoRequest request;

 private:
  static void answered(IoRequest& request, const base::Status& status) noexcept {
    auto& self = *static_cast<Waited*>(request.user);
    std::lock_guard lock(self.mutex_);
    self.status_ = status;
    ++self.answers_;
    self.answered_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable answered_;
  base::Status status_;  // mutex_
  int answers_ = 0;      // mutex_
};

inline base::Status transfer(AsyncIo& io, int fd, bool write, std::uint64_t offset, std::span<std::byte> data) {
  Waited request(fd, write, offset, data.data(), data.size());
  return request.submit_to(io).wait();
}

}  // namespace weir::platform
