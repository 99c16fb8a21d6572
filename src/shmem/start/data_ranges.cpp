// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/data_ranges.hpp"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "shmem/world/routine.hpp"

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
  before.last = std::min(range.last, before.end);
  after.begin = std::clamp(end, before.end, range.end);
  after.file_end = std::max(range.file_end, after.begin);
  for (const DataRange& left : {before, after}) {
    if (left.size() > 0) ranges.push_back(left);
  }
}

// Of a library.
bool is_of_program(const dl_phdr_info& info) {
  const std::string_view path = info.dlpi_name == nullptr ? "" : info.dlpi_name;
  if (path.empty() || info.dlpi_addr == getauxval(AT_SYSINFO_EHDR)) return false;  // without a file: the kernel's vdso
  if (is_weir_library(path)) return false;
  return !is_in_system_folder(path) || calls_routines(info.dlpi_addr, {info.dlpi_phdr, info.dlpi_phnum});
}

struct Search {
  decltype(&writable_ranges) ranges_of;
  std::vector<DataRange> ranges;
  std::size_t page;
  bool is_program = true;  // the first object is the program
};

int add_object(dl_phdr_info* info, std::size_t, void* search_of) {
  auto& search = *static_cast<Search*>(search_of);
  const bool is_program = search.is_program;
  search.is_program = false;
  if (!is_program && !is_of_program(*info)) return 0;
  for (DataRange& range : search.ranges_of(info->dlpi_addr, {info->dlpi_phdr, info->dlpi_phnum}, search.page)) {
    range.object = is_program ? "the program" : info->dlpi_name;
    search.ranges.push_back(std::move(range));
  }
  return 0;
}

std::vector<DataRange> find(decltype(&writable_ranges) ranges_of) {
  Search search{.ranges_of = ranges_of, .ranges = {}, .page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE))};
  dl_iterate_phdr(add_object, &search);
  return std::move(search.ranges);
}

// What is read-only after relocation, as the dynamic linker protects it.
DataRange relro_of(std::uintptr_t base, std::span<const ElfW(Phdr)> headers, std::size_t page) {
  DataRange relro;
  for (const ElfW(Phdr) & header : headers) {
    if (header.p_type != PT_GNU_RELRO) continue;
    relro.begin = down(base + header.p_vaddr, page);
    relro.end = relro.file_end = std::max(relro.begin, down(base + header.p_vaddr + header.p_memsz, page));
    relro.protection = PROT_READ;
  }
  return relro;
}

// What the dynamic linker knows of the symbols of an object.
struct Symbols {
  const ElfW(Sym) * first = nullptr;
  const char* names = nullptr;
  std::size_t n_undefined = 0;  // at least those are that many from the first on
};
Symbols symbols_of(std::uintptr_t base, const ElfW(Phdr) & dynamic) {
  Symbols found;
  // Addresses in it are as in memory, which glibc has written there on most machines.
  const auto at = [base](ElfW(Addr) address) { return address < base ? base + address : address; };
  const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(base + dynamic.p_vaddr);
  for (; entry->d_tag != DT_NULL; ++entry) {
    const std::uintptr_t address = at(entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB) found.first = reinterpret_cast<const ElfW(Sym)*>(address);
    if (entry->d_tag == DT_STRTAB) found.names = reinterpret_cast<const char*>(address);
    // Either table tells: how many there are, or the first that is defined.
    if (entry->d_tag == DT_HASH || entry->d_tag == DT_GNU_HASH)
      found.n_undefined = std::max<std::size_t>(found.n_undefined, reinterpret_cast<const std::uint32_t*>(address)[1]);
  }
  return found;
}

}  // namespace

std::size_t DataRange::size_with(const AddressRange& own) const noexcept {
  const bool is_here = own.begin >= begin && own.begin < own.end && own.end <= last;
  return is_here ? last - begin : size();
}

std::vector<DataRange> constant_ranges(std::uintptr_t base, std::span<const ElfW(Phdr)> headers, std::size_t page) {
  std::vector<DataRange> ranges;
  for (const ElfW(Phdr) & header : headers) {
    const bool is_read_only = (header.p_flags & (PF_R | PF_W)) == PF_R;
    if (header.p_type != PT_LOAD || !is_read_only || header.p_memsz == 0) continue;
    DataRange range;
    range.begin = base + header.p_vaddr;
    range.end = range.file_end = range.begin + header.p_memsz;
    range.protection = PROT_READ;
    ranges.push_back(std::move(range));
  }
  if (DataRange relro = relro_of(base, headers, page); relro.size() > 0) ranges.push_back(std::move(relro));
  return ranges;
}

std::vector<DataRange> writable_ranges(std::uintptr_t base, std::span<const ElfW(Phdr)> headers, std::size_t page) {
  const DataRange relro = relro_of(base, headers, page);
  std::vector<DataRange> ranges;
  for (const ElfW(Phdr) & header : headers) {
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0 || header.p_memsz == 0) continue;
    const std::uintptr_t begin = base + header.p_vaddr;
    DataRange range;
    range.begin = down(begin, page);
    range.end = up(begin + header.p_memsz, page);
    range.file_end = up(begin + header.p_filesz, page);
    range.last = begin + header.p_memsz;
    range.protection = protection_of(header);
    add_without(ranges, range, relro.begin, relro.end);
  }
  return ranges;
}

bool is_in_system_folder(std::string_view path) {
  for (const std::string_view folder :
       {"/lib/", "/lib64/", "/lib32/", "/usr/lib/", "/usr/lib64/", "/usr/lib32/", "/usr/libexec/", "/usr/libx32/"}) {
    if (path.starts_with(folder)) return true;
  }
  return false;
}

bool is_weir_library(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return file.starts_with("libweir.") || file.starts_with("libweir-");
}

bool calls_routines(std::uintptr_t base, std::span<const ElfW(Phdr)> headers) {
  for (const ElfW(Phdr) & header : headers) {
    if (header.p_type != PT_DYNAMIC) continue;
    const Symbols symbols = symbols_of(base, header);
    if (symbols.first == nullptr || symbols.names == nullptr) continue;
    for (std::size_t i = 1; i < symbols.n_undefined; ++i) {
      const ElfW(Sym)& symbol = symbols.first[i];
      if (symbol.st_shndx == SHN_UNDEF && is_routine_name(symbols.names + symbol.st_name)) return true;
    }
  }
  return false;
}

std::vector<DataRange> find_data_ranges() { return find(writable_ranges); }
std::vector<DataRange> find_constant_ranges() { return find(constant_ranges); }

}  // namespace weir::shmem
