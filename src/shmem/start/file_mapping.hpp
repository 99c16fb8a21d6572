// SPDX-License-Identifier: Apache-2.0

// What lies at an address of this process. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace weir::shmem {

// Memory that is mapped in one piece.
struct Mapping {
  std::uintptr_t begin = 0, end = 0;
  int protection = 0;  // PROT_...
};

// The mappings of this process from the lowest address on, as /proc/self/maps says. Allocates nothing. What is mapped
// anew below the one that was told last is not told.
class Mappings {
 public:
  Mappings() noexcept;
  ~Mappings();
  Mappings(const Mappings&) = delete;
  Mappings& operator=(const Mappings&) = delete;

  // False: the system does not tell.
  bool is_known() const noexcept { return file_ >= 0; }
  // The next; false: there is none.
  bool next(Mapping& found) noexcept;
  // The system has refused to tell more.
  bool has_failed() const noexcept { return has_failed_; }

 private:
  int next_byte() noexcept;
  std::uintptr_t number(int& byte) noexcept;

  const int file_;
  std::array<char, 4096> bytes_;
  std::size_t at_ = 0, known_ = 0;
  bool has_failed_ = false;
};

// Whether the page at the address is that of the file at this offset: as /proc/self/maps says.
bool is_mapped_at(std::uintptr_t address, int descriptor, std::uint64_t offset);

}  // namespace weir::shmem
