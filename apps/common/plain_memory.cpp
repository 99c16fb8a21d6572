// SPDX-License-Identifier: Apache-2.0

#include "apps/common/plain_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/check.hpp"

namespace weir::apps {
namespace {

using base::Code;
using base::Status;

constexpr std::uint64_t kPage = 4096;

Status failure(const std::string& what, std::uint64_t bytes, int error) {
  return {error == ENOSPC || error == ENOMEM ? Code::no_space : Code::io_error,
          fmt::format("{}: {} bytes cannot be had: {}", what, bytes, std::strerror(error))};
}

}  // namespace

base::Result<PlainMemory> PlainMemory::create(std::uint64_t bytes, const std::string& folder) {
  int file = -1;
  if (!folder.empty()) {
    file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) return failure(folder, bytes, errno);
    if (const int error = ::posix_fallocate(file, 0, static_cast<off_t>(bytes)); error != 0) {
      ::close(file);
      return failure(folder, bytes, error);
    }
  }
  const int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
  void* const data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
  const int error = errno;
  if (file >= 0) ::close(file);
  if (data == MAP_FAILED) return failure(folder.empty() ? "memory" : folder, bytes, error);
  if (folder.empty()) ::madvise(data, bytes, MADV_HUGEPAGE);
  return PlainMemory(static_cast<char*>(data), bytes);
}

PlainMemory::~PlainMemory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

double* PlainMemory::take(std::uint64_t count) {
  char* const taken = data_ + next_;
  next_ += rounded(count);
  WEIR_CHECK(next_ <= bytes_, "more is taken than was created");
  return reinterpret_cast<double*>(taken);
}

std::uint64_t PlainMemory::rounded(std::uint64_t count) { return (count * sizeof(double) + kPage - 1) / kPage * kPage; }

}  // namespace weir::apps
