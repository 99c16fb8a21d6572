// SPDX-License-Identifier: Apache-2.0

#include "platform/code_address.hpp"

#include <link.h>

#include <string_view>

#include "base/check.hpp"

namespace weir::platform {

namespace {

// FNV-1a, with 0 for the program itself, whose name the linker leaves out.
std::uint64_t hash_of(const char* path) noexcept {
  std::string_view name(path == nullptr ? "" : path);
  if (name.empty()) return 0;
  name.remove_prefix(name.rfind('/') + 1);
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

struct Search {
  std::uintptr_t code = 0;  // wanted, or found
  CodeAddress address;      // the other one
  bool is_found = false;
};

bool contains(const dl_phdr_info& file, std::uintptr_t code) noexcept {
  for (int i = 0; i < file.dlpi_phnum; ++i) {
    const auto& segment = file.dlpi_phdr[i];
    const std::uintptr_t start = file.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && code >= start && code - start < segment.p_memsz) return true;
  }
  return false;
}

}  // namespace

CodeAddress code_address_of(const void* code) {
  Search search{reinterpret_cast<std::uintptr_t>(code), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* file, std::size_t, void* data) {
        Search& wanted = *static_cast<Search*>(data);
        if (!contains(*file, wanted.code)) return 0;
        wanted.address = {hash_of(file->dlpi_name), wanted.code - file->dlpi_addr};
        wanted.is_found = true;
        return 1;
      },
      &search);
  WEIR_CHECK(search.is_found, "a function that goes to another process is code of a file that is loaded");
  return search.address;
}

const void* code_at(const CodeAddress& address) {
  Search search{0, address};
  dl_iterate_phdr(
      [](dl_phdr_info* file, std::size_t, void* data) {
        Search& wanted = *static_cast<Search*>(data);
        if (hash_of(file->dlpi_name) != wanted.address.file) return 0;
        wanted.code = file->dlpi_addr + wanted.address.offset;
        wanted.is_found = true;
        return 1;
      },
      &search);
  return search.is_found ? reinterpret_cast<const void*>(search.code) : nullptr;
}

}  // namespace weir::platform
