// SPDX-License-Identifier: Apache-2.0

// Where the static and global variables of the program and of its own shared libraries lie: whole pages of their
// writable segments, without those that are read-only after relocation.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shmem/world/own_variables.hpp"

namespace weir::shmem {

struct DataRange {
  std::uintptr_t begin = 0, end = 0;
  std::uintptr_t file_end = 0;  // from here on what was not touched is zero
  std::uintptr_t last = 0;      // the end of what is in it; then the rest of a page
  int protection = 0;           // PROT_...
  std::string object;           // the file

  std::size_t size() const noexcept { return end - begin; }
  // How much of it programs may use: whole pages, or, where the library's own variables are in it too, what is before
  // the end of its last variable. That is one of the program's: those that are zero at first are behind the library's.
  std::size_t size_with(const AddressRange& own) const noexcept;
};

// Of one object that is loaded at `base`, by its program headers. Pure.
std::vector<DataRange> writable_ranges(std::uintptr_t base, std::span<const ElfW(Phdr)> headers, std::size_t page);

// Memory that the program may read and not write, of one object: read-only segments, and what is read-only after
// relocation. Pure.
std::vector<DataRange> constant_ranges(std::uintptr_t base, std::span<const ElfW(Phdr)> headers, std::size_t page);

// Whether a shared library lies where the system has its own: under /lib, /usr/lib, /usr/libexec and their like. Pure.
bool is_in_system_folder(std::string_view path);
// Whether it is one of Weir's, whose variables are private to a PE. Pure.
bool is_weir_library(std::string_view path);
// Whether an object that is loaded at `base` calls SHMEM routines: a library that does is a program's, wherever it was
// installed. By its dynamic symbols, in memory.
bool calls_routines(std::uintptr_t base, std::span<const ElfW(Phdr)> headers);

// Of this process now: of the program first, then of its libraries in the order in which they were loaded.
std::vector<DataRange> find_data_ranges();
std::vector<DataRange> find_constant_ranges();

}  // namespace weir::shmem
