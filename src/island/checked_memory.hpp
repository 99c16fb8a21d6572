// SPDX-License-Identifier: Apache-2.0

// Memory whose lines move only when a process says so, or by chance: the machine without coherent caches, on any
// machine.
//
// The addresses that the program uses are this process's cache: a private copy. Memory proper is mapped elsewhere, and
// a second private copy, the base, has what the cache held when the line last moved. A line is dirty when the two
// differ; so a write that changes nothing makes no line dirty, and whoever writes lines has to invalidate them first.
//
// A dirty line goes to memory whole, with what the process has of its neighbours' bytes, as in hardware: that is how
// two writers of a line lose one's writes here, too. What it cannot show is in
// docs/protocols/letters.md.
//
// Each process has its own object, forked from the first one's. One thread of a process at a time; other processes move
// lines at the same time.
#pragma once

#include <array>
#include <cstdint>

#include "island/mapping.hpp"

namespace weir::island {

class CheckedMemory final : public SharedMemory {
 public:
  static constexpr unsigned kCopies = 2;  // of a page, in each process that has touched it: its cache and its base

  static base::Result<std::unique_ptr<SharedMemory>> map(const Segment& segment, std::uint64_t seed);
  CheckedMemory(std::unique_ptr<memory::SharedBacking> memory, PrivateMapping&& cache, PrivateMapping&& base,
                std::uint64_t seed) noexcept;

  // 4 to 6 ns a line (bench/micro/letter_bench).
  void write_back(const void* data, std::size_t bytes) noexcept override;
  void invalidate(const void* data, std::size_t bytes) noexcept override;
  // 20 us for a MiB that was touched; pages that never were are skipped, at 0.4 ms for a GiB.
  const void* find_unwritten(const void* data, std::size_t bytes) const noexcept override;

  std::byte* data() const noexcept override { return cache_.data(); }
  Bytes size() const noexcept override { return memory_->size(); }
  void enter_process(int process) noexcept override;
  memory::SharedBacking& backing() noexcept override { return *memory_; }

 private:
  struct Lines {
    std::size_t first, count;
  };
  static constexpr std::size_t kRemembered = 64;

  Lines lines_of(const void* data, std::size_t bytes) const noexcept;
  void remember(Lines lines) noexcept;
  bool is_dirty(std::size_t line) const noexcept;
  void write_line(std::size_t line) noexcept;  // to memory, if it is dirty
  void read_line(std::size_t line) noexcept;   // from memory
  // Perhaps moves one of the lines named of late, as a cache does of its own accord.
  void perhaps_evict() noexcept;
  std::uint64_t random() noexcept;

  std::unique_ptr<memory::SharedBacking> memory_;
  PrivateMapping cache_, base_;
  std::uint64_t seed_, state_;
  std::array<Lines, kRemembered> named_{};  // the last ranges of steps, a ring
  std::size_t names_ = 0;
};

}  // namespace weir::island
