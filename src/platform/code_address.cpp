// SPDX-License-Identifier: Apache-2.0

#include "platform/code_address.hpp"

#include <fmt/format.h>
#include <link.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/check.hpp"
#include "platform/crc32c.hpp"

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

namespace {

// Notes are aligned to four bytes, whatever the segment says: the linkers' build id is in such a one.
std::string build_id_in(const dl_phdr_info& file) {
  const auto padded = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
  for (int i = 0; i < file.dlpi_phnum; ++i) {
    const auto& segment = file.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* const start = reinterpret_cast<const char*>(file.dlpi_addr + segment.p_vaddr);
    ElfW(Nhdr) note;
    for (std::size_t at = 0; at + sizeof note <= segment.p_memsz;) {
      std::memcpy(&note, start + at, sizeof note);
      const char* const name = start + at + sizeof note;
      const auto* const bytes = reinterpret_cast<const unsigned char*>(name + padded(note.n_namesz));
      at += sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
      const bool is_build = note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && at <= segment.p_memsz;
      if (!is_build || std::memcmp(name, "GNU", 4) != 0) continue;
      std::string text;
      for (std::size_t b = 0; b < note.n_descsz; ++b) text += fmt::format("{:02x}", bytes[b]);
      return text;
    }
  }
  return "";
}

std::string checksum_of_code(const dl_phdr_info& file) {
  std::uint32_t sum = 0;
  for (int i = 0; i < file.dlpi_phnum; ++i) {
    const auto& segment = file.dlpi_phdr[i];
    constexpr auto kCode = PF_R | PF_X;
    if (segment.p_type != PT_LOAD || (segment.p_flags & (kCode | PF_W)) != kCode) continue;
    const auto* const start = reinterpret_cast<const char*>(file.dlpi_addr + segment.p_vaddr);
    sum = crc32c({start, static_cast<std::size_t>(segment.p_filesz)}, sum);
  }
  return fmt::format("code {:08x}", sum);
}

struct FileSearch {
  std::uint64_t file;
  std::optional<BuiltFile> found{};
};

}  // namespace

std::optional<BuiltFile> built_file(std::uint64_t file) {
  FileSearch search{file};
  dl_iterate_phdr(
      [](dl_phdr_info* each, std::size_t, void* data) {
        FileSearch& wanted = *static_cast<FileSearch*>(data);
        if (hash_of(each->dlpi_name) != wanted.file) return 0;
        const std::string name = wanted.file == 0 ? program_invocation_short_name : each->dlpi_name;
        const std::string build = build_id_in(*each);
        wanted.found = BuiltFile{name.substr(name.rfind('/') + 1), build.empty() ? checksum_of_code(*each) : build};
        return 1;
      },
      &search);
  return search.found;
}

std::optional<CodeAddress> find_code_address(const void* code) {
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
  return search.is_found ? std::optional(search.address) : std::nullopt;
}

CodeAddress code_address_of(const void* code) {
  const std::optional<CodeAddress> found = find_code_address(code);
  WEIR_CHECK(found.has_value(), "a function that goes to another process is code of a file that is loaded");
  return *found;
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
