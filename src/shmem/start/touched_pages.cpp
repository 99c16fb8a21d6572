// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/touched_pages.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace weir::shmem {

namespace {

constexpr std::uint64_t kPresent = std::uint64_t{1} << 63, kSwapped = std::uint64_t{1} << 62;

bool is_zero(const std::byte* page, std::size_t bytes) noexcept {
  return page[0] == std::byte{0} && std::memcmp(page, page + 1, bytes - 1) == 0;
}

// /proc/self/pagemap; when it cannot be read every page counts as touched, which is right, only slower.
class Pagemap {
 public:
  explicit Pagemap(std::size_t page) noexcept
      : page_(page), file_(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  ~Pagemap() {
    if (file_ >= 0) ::close(file_);
  }
  Pagemap(const Pagemap&) = delete;
  Pagemap& operator=(const Pagemap&) = delete;

  bool is_touched(std::uintptr_t address) noexcept {
    if (file_ < 0) return true;
    const std::uintptr_t index = address / page_;
    if (index - first_ >= known_) {
      const ssize_t got = ::pread(file_, entries_.data(), sizeof(entries_), static_cast<off_t>(index * 8));
      first_ = index;
      known_ = got > 0 ? static_cast<std::size_t>(got) / 8 : 0;
      if (known_ == 0) return true;
    }
    return (entries_[index - first_] & (kPresent | kSwapped)) != 0;
  }

 private:
  std::size_t page_;
  int file_;
  std::array<std::uint64_t, 512> entries_;
  std::uintptr_t first_ = 0;
  std::size_t known_ = 0;
};

}  // namespace

void copy_touched(std::span<const std::byte> from, std::byte* to, std::uintptr_t file_end) noexcept {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  Pagemap map(page);
  for (std::size_t at = 0; at < from.size(); at += page) {
    const std::byte* const source = from.data() + at;
    const auto address = reinterpret_cast<std::uintptr_t>(source);
    if (address < file_end || (map.is_touched(address) && !is_zero(source, page))) std::memcpy(to + at, source, page);
  }
}

bool copy_touched(int descriptor, std::uint64_t offset, std::span<std::byte> to) noexcept {
  const auto end = static_cast<off_t>(offset + to.size());
  for (auto at = static_cast<off_t>(offset); at < end;) {
    const off_t data = ::lseek(descriptor, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) return true;  // no more
    if (data < 0) return false;
    if (data >= end) return true;
    const off_t hole = std::min(::lseek(descriptor, data, SEEK_HOLE), end);
    for (at = data; at < hole;) {
      const ssize_t got =
          ::pread(descriptor, to.data() + (at - static_cast<off_t>(offset)), static_cast<std::size_t>(hole - at), at);
      if (got <= 0 && errno != EINTR) return false;
      at += std::max<ssize_t>(got, 0);
    }
    if (hole <= data) return false;
  }
  return true;
}

}  // namespace weir::shmem
