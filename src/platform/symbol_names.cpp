// SPDX-License-Identifier: Apache-2.0

#include "platform/symbol_names.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace weir::platform {

namespace {

// A file as it is, in memory.
class FileView {
 public:
  explicit FileView(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat about {};
    if (fstat(file, &about) == 0 && about.st_size > 0) {
      bytes_ = static_cast<std::size_t>(about.st_size);
      memory_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    close(file);
  }
  ~FileView() {
    if (memory_ != MAP_FAILED) munmap(memory_, bytes_);
  }
  FileView(const FileView&) = delete;
  FileView& operator=(const FileView&) = delete;

  // Empty when the file is shorter.
  template <class T>
  std::span<const T> at(std::uint64_t offset, std::uint64_t count) const {
    if (memory_ == MAP_FAILED || offset > bytes_ || count > (bytes_ - offset) / sizeof(T)) return {};
    return {reinterpret_cast<const T*>(static_cast<const char*>(memory_) + offset), count};
  }

 private:
  void* memory_ = MAP_FAILED;
  std::size_t bytes_ = 0;
};

const char* name_at(std::span<const char> names, std::size_t at) {
  return at < names.size() && std::memchr(&names[at], 0, names.size() - at) != nullptr ? &names[at] : nullptr;
}

struct Found {
  const char* name = nullptr;  // null: there is none
  std::uint64_t start = 0;
};

using Sections = std::span<const ElfW(Shdr)>;
Sections sections_of(const FileView& file) {
  const auto header = file.at<ElfW(Ehdr)>(0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return {};
  return file.at<ElfW(Shdr)>(header[0].e_shoff, header[0].e_shnum);
}

// Calls f(symbol, names) for the symbols that the file defines, until it returns true.
template <class F>
void look_through(const FileView& file, Sections sections, F&& f) {
  for (const ElfW(Shdr) & table : sections) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.size()) continue;
    const ElfW(Shdr)& strings = sections[table.sh_link];
    const auto names = file.at<char>(strings.sh_offset, strings.sh_size);
    for (const ElfW(Sym) & symbol : file.at<ElfW(Sym)>(table.sh_offset, table.sh_size / sizeof(ElfW(Sym))))
      if (symbol.st_shndx != SHN_UNDEF && f(symbol, names)) return;
  }
}

// The first symbol of the file for which `is_it` says so.
template <class IsIt>
Found symbol_in(const FileView& file, IsIt is_it) {
  Found found;
  look_through(file, sections_of(file), [&](const ElfW(Sym) & symbol, std::span<const char> names) {
    if (!is_it(symbol)) return false;
    found = {name_at(names, symbol.st_name), symbol.st_value};
    return true;
  });
  return found;
}

// The file of the program or library that has the address, as it is on disk, and where it lies in memory.
struct Mapped {
  const char* path = nullptr;  // null: it is in none
  std::uint64_t base = 0;
  Dl_info info{};
};
Mapped file_of(const void* address) {
  Mapped found;
  link_map* map = nullptr;
  if (dladdr1(address, &found.info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr) return {};
  found.path = map->l_name == nullptr || map->l_name[0] == '\0' ? "/proc/self/exe" : map->l_name;
  found.base = map->l_addr;
  return found;
}

}  // namespace

std::string type_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                    &std::free);
  return status == 0 ? text.get() : type.name();
}

std::string demangled(const char* symbol) {
  if (!std::string_view(symbol).starts_with("_Z")) return symbol;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : symbol;
}

std::string source_name(const char* symbol) {
  std::string whole = demangled(symbol), result;
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (auto at = whole.find(kUnnamed); at != std::string::npos; at = whole.find(kUnnamed))
    whole.erase(at, kUnnamed.size());
  int depth = 0;
  for (const char c : whole) {
    if (c == '<' || c == '(') ++depth;
    if (depth == 0) result += c;
    if (c == '>' || c == ')') --depth;
  }
  return result.substr(0, result.find(" [clone"));
}

std::string function_name(const void* start) {
  const Mapped mapped = file_of(start);
  if (mapped.path == nullptr) return "";
  if (mapped.info.dli_sname != nullptr && mapped.info.dli_saddr == start) return source_name(mapped.info.dli_sname);
  const FileView file(mapped.path);
  const std::uint64_t address = reinterpret_cast<std::uintptr_t>(start) - mapped.base;
  const Found found = symbol_in(
      file, [&](const ElfW(Sym) & symbol) { return (symbol.st_info & 0xf) == STT_FUNC && symbol.st_value == address; });
  return found.name == nullptr ? "" : source_name(found.name);
}

bool has_name(const void* start, const char* symbol) {
  if (dlsym(RTLD_DEFAULT, symbol) == start) return true;
  const Mapped mapped = file_of(start);
  if (mapped.path == nullptr) return false;
  const FileView file(mapped.path);
  const std::uint64_t address = reinterpret_cast<std::uintptr_t>(start) - mapped.base;
  bool is_found = false;
  look_through(file, sections_of(file), [&](const ElfW(Sym) & each, std::span<const char> names) {
    const char* const name = each.st_value == address ? name_at(names, each.st_name) : nullptr;
    is_found = name != nullptr && std::strcmp(name, symbol) == 0;
    return is_found;
  });
  return is_found;
}

std::optional<std::vector<Variable>> program_variables() {
  const FileView file("/proc/self/exe");
  const Sections sections = sections_of(file);
  const bool has_symbols =
      std::any_of(sections.begin(), sections.end(), [](const auto& each) { return each.sh_type == SHT_SYMTAB; });
  if (!has_symbols) return std::nullopt;
  std::uint64_t base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* program, std::size_t, void* data) {
        *static_cast<std::uint64_t*>(data) = program->dlpi_addr;
        return 1;  // it comes first
      },
      &base);
  std::vector<Variable> all;
  look_through(file, sections, [&](const ElfW(Sym) & symbol, std::span<const char> names) {
    const bool is_variable = (symbol.st_info & 0xf) == STT_OBJECT && symbol.st_size != 0;
    const bool is_written = symbol.st_shndx < sections.size() && (sections[symbol.st_shndx].sh_flags & SHF_WRITE) != 0;
    const char* const name = name_at(names, symbol.st_name);
    if (is_variable && is_written && name != nullptr)
      all.push_back({name, reinterpret_cast<const std::byte*>(base + symbol.st_value), symbol.st_size});
    return false;
  });
  return all;
}

std::string variable_name(const void* address) {
  const Mapped mapped = file_of(address);
  if (mapped.path == nullptr) return "";
  const FileView file(mapped.path);
  const std::uint64_t at = reinterpret_cast<std::uintptr_t>(address) - mapped.base;
  const Found found = symbol_in(file, [&](const ElfW(Sym) & symbol) {
    const int type = symbol.st_info & 0xf;
    return (type == STT_OBJECT || type == STT_COMMON) && at - symbol.st_value < symbol.st_size;
  });
  if (found.name == nullptr) return "";
  std::string name = source_name(found.name);
  if (at != found.start) {
    std::array<char, 24> offset{};
    std::snprintf(offset.data(), offset.size(), "+0x%llx", static_cast<unsigned long long>(at - found.start));
    name += offset.data();
  }
  return name;
}

}  // namespace weir::platform
