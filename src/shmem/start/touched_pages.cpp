// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/touched_pages.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace weir::shmem {

namespace {

constexpr std::uint64_t kPresent = std::uint64_t{1} << 63, kSwapped = std::uint64_t{1} << 62;

// Pages of a program's data are copied whole, word by word. Where the program is compiled with AddressSanitizer they
// have red zones between the variables, which memcpy() and memcmp() may not read in such a program, nor code that is
// instrumented.
using Word [[gnu::may_alias]] = std::uint64_t;

[[gnu::no_sanitize_address]] bool is_zero(const std::byte* page, std::size_t bytes) noexcept {
  const auto* const words = reinterpret_cast<const Word*>(page);
  const std::size_t n = bytes / sizeof(Word);
  std::size_t at = 0;
  while (at < n && words[at] == 0) ++at;
  return at == n;
}

[[gnu::no_sanitize_address]] void copy_page(std::byte* to, const std::byte* page, std::size_t bytes) noexcept {
  const auto* const from = reinterpret_cast<const Word*>(page);
  auto* const there = reinterpret_cast<Word*>(to);
  for (std::size_t at = 0; at < bytes / sizeof(Word); ++at) {
    there[at] = from[at];
    asm volatile("" : : : "memory");  // else the compiler makes a call of memcpy() of the loop
  }
}

}  // namespace

TouchedPages::TouchedPages(std::uintptr_t file_end) noexcept
    : file_end_(file_end),
      page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
      file_(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}

TouchedPages::~TouchedPages() {
  if (file_ >= 0) ::close(file_);
}

bool TouchedPages::is_touched(std::uintptr_t address) noexcept {
  if (address < file_end_ || file_ < 0) return true;
  const std::uintptr_t index = address / page_;
  if (index - first_ >= known_) {
    const ssize_t got = ::pread(file_, entries_.data(), sizeof(entries_), static_cast<off_t>(index * 8));
    first_ = index;
    known_ = got > 0 ? static_cast<std::size_t>(got) / 8 : 0;
    if (known_ == 0) return true;
  }
  return (entries_[index - first_] & (kPresent | kSwapped)) != 0;
}

std::size_t TouchedPages::untouched(std::span<const std::byte> memory) noexcept {
  known_ = 0;  // what was true at an earlier look may no longer be
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::size_t most = std::min(memory.size(), entries_.size() * page_);
  std::size_t at = 0;
  while (at < most && !is_touched(begin + at)) at += page_;
  return std::min(at, most);
}

void TouchedPages::copy(std::span<const std::byte> from, std::byte* to) noexcept {
  known_ = 0;
  for (std::size_t at = 0; at < from.size(); at += page_) {
    const std::byte* const page = from.data() + at;
    if (is_touched(reinterpret_cast<std::uintptr_t>(page)) && !is_zero(page, page_)) copy_page(to + at, page, page_);
  }
}

std::size_t untouched(int descriptor, std::uint64_t offset, std::size_t bytes) noexcept {
  const off_t data = ::lseek(descriptor, static_cast<off_t>(offset), SEEK_DATA);
  if (data < 0) return errno == ENXIO ? bytes : 0;  // ENXIO: nothing from there on
  return std::min(bytes, static_cast<std::size_t>(data) - offset);
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
      if (got == 0 || (got < 0 && errno != EINTR)) return false;
      at += std::max<ssize_t>(got, 0);
    }
    if (hole <= data) return false;
  }
  return true;
}

}  // namespace weir::shmem
