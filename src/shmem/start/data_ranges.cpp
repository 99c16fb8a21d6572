// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/data_ranges.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace weir::shmem {

namespace {

int protection_of(const ElfW(Phdr) & header) noexcept {
  return PROT_WRITE | ((header.p_flags & PF_R) != 0 ? PROT_READ : 0) | ((header.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
}

std::uintptr_t down(std::uintptr_t address, std::size_t page) noexcept { return address / page * page; }
std::uintptr_t up(std::uintptr_t address, std::size_t page) noexcept { return down(address + page - 1, page); }

// Adds what is left of the range when [begin, end) is taken out.
void add_without(std::vector<DataRange>& ranges, const DataRange& range, std::uintptr_t begin, std::uintptr_t end) {
  DataRange before = range, after = range;
  before.end = std::clamp(begin, range.begin, range.end);
  before.file_end = std::min(range.file_end, before.end);
  after.begin = std::clamp(end, before.end, range.end);
  after.file_end = std::max(range.file_end, after.begin);
  for (const DataRange& left : {before, after}) {
    if (left.size() > 0) ranges.push_back(left);
  }
}

struct Search {
  std::vector<DataRange> ranges;
  std::size_t page;
  bool is_program = true;  // the first object is the program
};

int add_object(dl_phdr_info* info, std::size_t, void* search_of) {
  auto& search = *static_cast<Search*>(search_of);
  const bool is_program = search.is_program;
  search.is_program = false;
  if (!is_program && is_system_library(info->dlpi_name)) return 0;
  for (DataRange& range : writable_ranges(info->dlpi_addr, {info->dlpi_phdr, info->dlpi_phnum}, search.page)) {
    range.object = is_program ? "the program" : info->dlpi_name;
    search.ranges.push_back(std::move(range));
  }
  return 0;
}

}  // namespace

std::vector<DataRange> writable_ranges(std::uintptr_t base, std::span<const ElfW(Phdr)> headers, std::size_t page) {
  std::uintptr_t relro_begin = 0, relro_end = 0;
  for (const ElfW(Phdr) & header : headers) {
    if (header.p_type != PT_GNU_RELRO) continue;
    relro_begin = down(base + header.p_vaddr, page);
    relro_end = down(base + header.p_vaddr + header.p_memsz, page);  // as the dynamic linker protects it
  }
  std::vector<DataRange> ranges;
  for (const ElfW(Phdr) & header : headers) {
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0 || header.p_memsz == 0) continue;
    const std::uintptr_t begin = base + header.p_vaddr;
    DataRange range;
    range.begin = down(begin, page);
    range.end = up(begin + header.p_memsz, page);
    range.file_end = up(begin + header.p_filesz, page);
    range.protection = protection_of(header);
    add_without(ranges, range, relro_begin, relro_end);
  }
  return ranges;
}

bool is_system_library(std::string_view path) {
  if (path.find('/') == std::string_view::npos) return true;  // the kernel's vdso
  for (const std::string_view folder :
       {"/lib/", "/lib64/", "/lib32/", "/usr/lib/", "/usr/lib64/", "/usr/lib32/", "/usr/libexec/", "/usr/libx32/"}) {
    if (path.starts_with(folder)) return true;
  }
  return path.substr(path.rfind('/') + 1).starts_with("libweir");
}

std::vector<DataRange> find_data_ranges() {
  Search search{.ranges = {}, .page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE))};
  dl_iterate_phdr(add_object, &search);
  return std::move(search.ranges);
}

}  // namespace weir::shmem
