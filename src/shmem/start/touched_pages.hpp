// SPDX-License-Identifier: Apache-2.0

// Copies of memory that leave out pages which were never touched: a program's large arrays stay without memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weir::shmem {

// The pages of this process's private memory, as /proc/self/pagemap tells; where that cannot be read, all count as
// touched, which is right, only slower. Allocates nothing, and calls nothing of the program's.
class TouchedPages {
 public:
  // Pages below the address `file_end` come from a file, and may hold something though nobody has touched them.
  explicit TouchedPages(std::uintptr_t file_end) noexcept;
  ~TouchedPages();
  TouchedPages(const TouchedPages&) = delete;
  TouchedPages& operator=(const TouchedPages&) = delete;

  // How many bytes from its beginning on were never touched, in whole pages: at most what one look tells, some MiB.
  std::size_t untouched(std::span<const std::byte> memory) noexcept;
  // Copies those pages to zeros that hold something. Whole pages.
  void copy(std::span<const std::byte> from, std::byte* to) noexcept;

 private:
  bool is_touched(std::uintptr_t address) noexcept;

  const std::uintptr_t file_end_;
  const std::size_t page_;
  const int file_;
  std::array<std::uint64_t, 2048> entries_;  // of the pages from first_ on, known_ of them
  std::uintptr_t first_ = 0;
  std::size_t known_ = 0;
};

// The same of a part of a file of memory: how many bytes of `bytes` from the offset on have no memory; and the copy.
// False: the system does not let it be read.
std::size_t untouched(int descriptor, std::uint64_t offset, std::size_t bytes) noexcept;
bool copy_touched(int descriptor, std::uint64_t offset, std::span<std::byte> to) noexcept;

}  // namespace weir::shmem
