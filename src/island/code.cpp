// SPDX-License-Identifier: Apache-2.0

#include "island/code.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace weir::island {

namespace {

constexpr std::uint64_t kStart = 0xcbf29ce484222325, kPrime = 0x100000001b3;  // FNV-1a, a word at a time

std::uint64_t hash(const std::byte* data, std::size_t bytes, std::uint64_t so_far) noexcept {
  for (; bytes >= sizeof so_far; data += sizeof so_far, bytes -= sizeof so_far) {
    std::uint64_t word;
    std::memcpy(&word, data, sizeof word);
    so_far = (so_far ^ word) * kPrime;
    so_far ^= so_far >> 29;
  }
  for (; bytes != 0; ++data, --bytes) so_far = (so_far ^ static_cast<std::uint64_t>(*data)) * kPrime;
  return so_far;
}

// The first eight bytes of the build id among the notes, where there is one.
std::optional<std::uint64_t> build_id(const std::byte* notes, std::size_t bytes) noexcept {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes, sizeof head);
    const std::size_t name = (head.n_namesz + 3u) & ~std::size_t{3}, text = (head.n_descsz + 3u) & ~std::size_t{3};
    const std::size_t all = sizeof head + name + text;
    if (all > bytes) break;
    std::uint64_t id;
    const bool is_id = head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && head.n_descsz >= sizeof id &&
                       std::memcmp(notes + sizeof head, "GNU", 4) == 0;
    if (is_id) {
      std::memcpy(&id, notes + sizeof head + name, sizeof id);
      return id;
    }
    notes += all;
    bytes -= all;
  }
  return std::nullopt;
}

const std::byte* at(std::uintptr_t address) noexcept { return reinterpret_cast<const std::byte*>(address); }

}  // namespace

void CodeNames::look() {
  objects_.clear();
  const auto one = [](dl_phdr_info* info, std::size_t, void* to) {
    Object object;
    object.base = info->dlpi_addr;
    std::uint64_t of_code = kStart;
    std::uintptr_t end = 0;
    std::optional<std::uint64_t> id;
    for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& part = info->dlpi_phdr[i];
      const std::uintptr_t start = object.base + part.p_vaddr;
      if (part.p_type == PT_NOTE && !id) id = build_id(at(start), part.p_memsz);
      if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
      object.start = end == 0 ? start : std::min(object.start, start);
      end = std::max<std::uintptr_t>(end, start + part.p_memsz);
    }
    if (end == 0) return 0;
    object.bytes = end - object.start;
    for (unsigned i = 0; i < info->dlpi_phnum && !id; ++i) {
      const ElfW(Phdr)& part = info->dlpi_phdr[i];
      if (part.p_type == PT_LOAD && (part.p_flags & (PF_X | PF_W | PF_R)) == (PF_X | PF_R))
        of_code = hash(at(object.base + part.p_vaddr), part.p_filesz, of_code);
    }
    object.id = std::max<std::uint64_t>(1, id.value_or(of_code));
    static_cast<std::vector<Object>*>(to)->push_back(object);
    return 0;
  };
  dl_iterate_phdr(one, &objects_);
}

CodeNames::Object CodeNames::object_at(std::uintptr_t address) {
  const auto has = [address](const Object& object) { return address - object.start < object.bytes; };
  auto found = std::ranges::find_if(objects_, has);
  if (found == objects_.end()) {  // loaded meanwhile
    look();
    found = std::ranges::find_if(objects_, has);
  }
  if (found != objects_.end()) return *found;
  throw Error(fmt::format("a task's function at {:#x} is in no program or library that other processes could have, too",
                          address));
}

CodeNames::Object CodeNames::object_named(std::uint64_t id) {
  auto found = std::ranges::find(objects_, id, &Object::id);
  if (found == objects_.end()) {
    look();
    found = std::ranges::find(objects_, id, &Object::id);
  }
  return found == objects_.end() ? Object{} : *found;
}

std::string object_text(std::uint64_t object) {
  if constexpr (std::endian::native == std::endian::little) object = __builtin_bswap64(object);
  return fmt::format("{:016x}", object);
}

}  // namespace weir::island
