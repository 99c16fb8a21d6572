// SPDX-License-Identifier: Apache-2.0

#include "loadable.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

namespace weir::tool {

namespace {

using base::Code;
using base::Status;

bool is_program(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

template <class Header>
bool read_at(std::ifstream& file, std::uint64_t offset, Header& header) {
  return bool(file.seekg(static_cast<std::streamoff>(offset))) &&
         bool(file.read(reinterpret_cast<char*>(&header), sizeof header));
}

// The loader that an ELF file names; "" for none.
std::string loader_of(std::ifstream& file, const Elf64_Ehdr& header) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    if (!read_at(file, header.e_phoff + i * sizeof part, part)) return "";
    if (part.p_type != PT_INTERP || part.p_filesz > 4096) continue;
    std::string loader(part.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(part.p_offset));
    file.read(loader.data(), static_cast<std::streamsize>(loader.size()));
    return loader.c_str();
  }
  return "";
}

Status refuse(const std::string& file, const std::string& why) {
  return {Code::bad_option, fmt::format("{} {}", file, why)};
}

Status check_elf(const std::string& path, std::ifstream& file) {
  Elf64_Ehdr own{}, header{};
  std::ifstream self("/proc/self/exe", std::ios::binary);
  if (!read_at(file, 0, header)) return refuse(path, "cannot be read");
  if (!read_at(self, 0, own)) return refuse("/proc/self/exe", "cannot be read: is /proc mounted?");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != own.e_machine)
    return refuse(path, "is for another kind of processor than weir: it cannot load weir's library");
  const std::string loader = loader_of(file, header);
  if (loader.empty())
    return refuse(path,
                  "is a static program: it loads no library that could place its memory, or say where "
                  "it was; link it dynamically, or use numactl, which tells nothing");
  if (loader.find("musl") != std::string::npos)
    return refuse(path, fmt::format("is for another C library ({}): weir's library is for the GNU C library", loader));
  return Status::success();
}

// The names of the libraries that an ELF file needs, one after the other with zeros between them and much else.
std::string dynamic_names(std::ifstream& file, const Elf64_Ehdr& header) {
  Elf64_Addr names = 0;
  std::uint64_t size = 0;
  std::vector<Elf64_Phdr> loaded;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    if (!read_at(file, header.e_phoff + i * sizeof part, part)) return "";
    if (part.p_type == PT_LOAD) loaded.push_back(part);
    if (part.p_type != PT_DYNAMIC) continue;
    Elf64_Dyn entry{};
    for (std::uint64_t at = 0; at < part.p_filesz && read_at(file, part.p_offset + at, entry); at += sizeof entry) {
      if (entry.d_tag == DT_STRTAB) names = entry.d_un.d_ptr;
      if (entry.d_tag == DT_STRSZ) size = entry.d_un.d_val;
    }
  }
  constexpr std::uint64_t kMost = 64 << 20;
  for (const Elf64_Phdr& part : loaded) {
    if (names < part.p_vaddr || names - part.p_vaddr >= part.p_filesz || size > kMost) continue;
    std::string text(size, '\0');
    file.seekg(static_cast<std::streamoff>(part.p_offset + (names - part.p_vaddr)));
    if (file.read(text.data(), static_cast<std::streamsize>(size))) return text;
  }
  return "";
}

Status check_rights(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return Status::success();
  const bool as_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid();
  const bool as_group = (status.st_mode & S_ISGID) != 0 && status.st_gid != getegid();
  if (geteuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0) {
    return refuse(path,
                  "has capabilities (setcap), which its user does not have: the system loads no library of the user's "
                  "into it");
  }
  if (!as_user && !as_group) return Status::success();
  return refuse(path,
                fmt::format("runs with the rights of another {} (set{}id): the system loads no library of the user's "
                            "into it",
                            as_user ? "user" : "group", as_user ? "u" : "g"));
}

}  // namespace

std::string file_of_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? name : "";
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (is_program(file)) return file;
  }
  return "";
}

Status check_loads_libraries(const std::string& path) {
  std::string at = path;
  for (int depth = 0; depth < 4; ++depth) {  // as deep as the kernel follows scripts
    if (const Status status = check_rights(at); !status) return status;
    std::ifstream file(at, std::ios::binary);
    char magic[4] = {};
    if (!file.read(magic, sizeof magic)) return Status::success();  // the system will say what is wrong
    if (std::memcmp(magic, ELFMAG, SELFMAG) == 0) return check_elf(at, file);
    if (magic[0] != '#' || magic[1] != '!') return Status::success();
    file.seekg(2);
    if (!(file >> at)) return Status::success();
  }
  return Status::success();
}

// clang's runtime is in the program itself, with a pthread_create() that has to be the one of its threads: ours is
// called within it, before it knows the thread. That of addresses and that of memory do not mind.
bool has_clangs_threads(const std::string& names) {
  return names.find(std::string("\0__tsan_init\0", 13)) != std::string::npos;
}

Status check_loads_ours_first(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!read_at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return Status::success();
  const std::string names = dynamic_names(file, header);
  for (const char* const sanitizer : {"libasan.so.", "libtsan.so.", "libhwasan.so."}) {
    if (names.find(std::string(1, '\0') + sanitizer) == std::string::npos) continue;
    return refuse(path,
                  fmt::format("is built with a sanitizer ({}) that has to be the first library, as weir's has, and "
                              "has a malloc() of its own; build it without, or use numactl, which tells nothing",
                              std::string(sanitizer, std::strlen(sanitizer) - 1)));
  }
  if (has_clangs_threads(names))
    return refuse(path,
                  "is built with clang's ThreadSanitizer, which has to be the first to see a thread, as weir's library "
                  "has; build it without, or use numactl, which tells nothing");
  return Status::success();
}

base::Result<std::string> listed_name(const LoaderList& list, const std::string& file, const std::string& folder) {
  const auto fits = [&](const std::string& name) { return name.find_first_of(list.separators) == std::string::npos; };
  if (fits(file)) return file;
  const std::string link = folder + "/" + std::filesystem::path(file).filename().string();
  if (!fits(link))
    return Status{
        Code::unsupported,
        fmt::format("{}: {} cannot be loaded into a program ({}), as its name has a blank or a colon; nor by a "
                    "link in {}: let TMPDIR name a folder without them",
                    list.option, file, list.variable, folder)};
  std::error_code failed;
  std::filesystem::create_symlink(file, link, failed);
  if (failed) return Status{Code::io_error, fmt::format("{}: cannot make {}: {}", list.option, link, failed.message())};
  return link;
}

}  // namespace weir::tool
