// SPDX-License-Identifier: Apache-2.0

#include "platform/redirect.hpp"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

namespace weir::platform {

namespace {

constexpr std::uint32_t kCallEntry = R_X86_64_JUMP_SLOT, kDataEntry = R_X86_64_GLOB_DAT, kOwnEntry = R_X86_64_IRELATIVE;

// A module's tables, as its dynamic section says.
struct Module {
  std::uintptr_t base = 0, start = 0, end = 0;    // where it is loaded
  std::uintptr_t fixed_start = 0, fixed_end = 0;  // read-only since it was relocated
  const ElfW(Dyn) * dynamic = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  std::span<const ElfW(Rela)> tables[2];

  explicit Module(const dl_phdr_info& info) : base(info.dlpi_addr), start(~std::uintptr_t{0}) {
    for (int i = 0; i < info.dlpi_phnum; ++i) read_header(info.dlpi_phdr[i]);
    if (dynamic != nullptr) read_dynamic();
  }

 private:
  void read_header(const ElfW(Phdr) & header) {
    const std::uintptr_t from = base + header.p_vaddr;
    if (header.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const ElfW(Dyn)*>(from);
    if (header.p_type == PT_GNU_RELRO) {
      fixed_start = from;
      fixed_end = from + header.p_memsz;
    }
    if (header.p_type != PT_LOAD) return;
    start = from < start ? from : start;
    end = from + header.p_memsz > end ? from + header.p_memsz : end;
  }
  // Some dynamic linkers have made addresses of the offsets here, others have not.
  template <class T>
  const T* at(std::uintptr_t place) const {
    return reinterpret_cast<const T*>(place >= start ? place : base + place);
  }
  void read_dynamic() {
    std::uintptr_t places[2] = {};
    std::size_t bytes[2] = {};
    bool with_addends = true;
    for (const ElfW(Dyn)* entry = dynamic; entry->d_tag != DT_NULL; ++entry) {
      switch (entry->d_tag) {
        case DT_SYMTAB: symbols = at<ElfW(Sym)>(entry->d_un.d_ptr); break;
        case DT_STRTAB: names = at<char>(entry->d_un.d_ptr); break;
        case DT_JMPREL: places[0] = entry->d_un.d_ptr; break;
        case DT_PLTRELSZ: bytes[0] = entry->d_un.d_val; break;
        case DT_RELA: places[1] = entry->d_un.d_ptr; break;
        case DT_RELASZ: bytes[1] = entry->d_un.d_val; break;
        case DT_PLTREL: with_addends = entry->d_un.d_val == DT_RELA; break;
        default: break;
      }
    }
    for (int i = 0; i < 2; ++i)
      if (places[i] != 0 && with_addends) tables[i] = {at<ElfW(Rela)>(places[i]), bytes[i] / sizeof(ElfW(Rela))};
  }
};

const Redirection* wanted_for(const Module& module, const ElfW(Rela) & entry, std::uintptr_t value,
                              std::span<const Redirection> redirections) {
  if (value == 0) return nullptr;
  for (const Redirection& redirection : redirections)
    if (redirection.from == value) return &redirection;
  // Not called yet: the entry leads to the module's own code, which asks the dynamic linker.
  const bool is_open = ELF64_R_TYPE(entry.r_info) == kCallEntry && value >= module.start && value < module.end;
  const auto symbol = ELF64_R_SYM(entry.r_info);
  if (!is_open || symbol == 0 || module.symbols == nullptr || module.names == nullptr) return nullptr;
  if (module.symbols[symbol].st_shndx != SHN_UNDEF) return nullptr;
  const char* const name = module.names + module.symbols[symbol].st_name;
  for (const Redirection& redirection : redirections)
    if (std::strcmp(name, redirection.name) == 0) return &redirection;
  return nullptr;
}

class Redirecting {
 public:
  explicit Redirecting(std::span<const Redirection> redirections) : redirections_(redirections) {}

  void all_of(const Module& module) {
    for (const std::span<const ElfW(Rela)> table : module.tables)
      for (const ElfW(Rela) & entry : table) one(module, entry);
    if (open_) mprotect(reinterpret_cast<void*>(open_start_), open_bytes_, PROT_READ);
    open_ = false;
  }
  std::size_t changed() const noexcept { return changed_; }

 private:
  void one(const Module& module, const ElfW(Rela) & entry) {
    const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(entry.r_info));
    if (type != kCallEntry && type != kDataEntry && type != kOwnEntry) return;
    const std::uintptr_t place = module.base + entry.r_offset;
    if (place < module.start || place + sizeof(std::uintptr_t) > module.end) return;
    // Relaxed: the address is compared, and not gone to.
    std::atomic_ref<std::uintptr_t> slot(*reinterpret_cast<std::uintptr_t*>(place));
    const Redirection* const wanted = wanted_for(module, entry, slot.load(std::memory_order_relaxed), redirections_);
    if (wanted == nullptr || !make_writable(module, place)) return;
    slot.store(wanted->to);
    ++changed_;
  }
  // Once for a module.
  bool make_writable(const Module& module, std::uintptr_t place) {
    if (open_ || place < module.fixed_start || place >= module.fixed_end) return true;
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    open_start_ = module.fixed_start & ~(page - 1);
    open_bytes_ = (module.fixed_end & ~(page - 1)) - open_start_;
    open_ = mprotect(reinterpret_cast<void*>(open_start_), open_bytes_, PROT_READ | PROT_WRITE) == 0;
    return open_;
  }

  std::span<const Redirection> redirections_;
  std::uintptr_t open_start_ = 0;
  std::size_t open_bytes_ = 0;
  bool open_ = false;
  std::size_t changed_ = 0;
};

int redirect_in(dl_phdr_info* info, std::size_t, void* redirecting) {
  static_cast<Redirecting*>(redirecting)->all_of(Module(*info));
  return 0;
}

struct CodeSearch {
  std::uintptr_t address;
  CodeRange found;
};

int find_code(dl_phdr_info* info, std::size_t, void* argument) {
  CodeSearch& search = *static_cast<CodeSearch*>(argument);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const std::uintptr_t start = info->dlpi_addr + header.p_vaddr;
    const CodeRange range{start, start + header.p_memsz};
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0 || !range.contains(search.address)) continue;
    search.found = range;
    return 1;
  }
  return 0;
}

}  // namespace

std::size_t redirect_calls(std::span<const Redirection> redirections) noexcept {
  Redirecting redirecting(redirections);
  dl_iterate_phdr(&redirect_in, &redirecting);
  return redirecting.changed();
}

CodeRange code_around(std::uintptr_t address) noexcept {
  CodeSearch search{address, {}};
  dl_iterate_phdr(&find_code, &search);
  return search.found;
}

}  // namespace weir::platform
