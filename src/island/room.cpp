// SPDX-License-Identifier: Apache-2.0

#include "island/room.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace weir::island {

namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

// The kernel's own: without a name, or a file of its file system in memory.
bool is_memory(const memory::SharedBacking& backing) {
  if (!backing.takes_system_memory()) return false;
  constexpr decltype(statfs::f_type) kTmpfs = 0x01021994;
  struct statfs found {};
  return backing.descriptor() < 0 || (fstatfs(backing.descriptor(), &found) == 0 && found.f_type == kTmpfs);
}

}  // namespace

Room::Room(const memory::SharedBacking& backing, std::function<platform::MemoryLimit()> limit)
    : backing_(backing), limit_(std::move(limit)), checked_(is_memory(backing) ? 0 : kAll) {}

std::uint64_t Room::bytes_with_pages(std::uint64_t bytes) const {
  struct stat file {};
  if (backing_.descriptor() >= 0)
    return fstat(backing_.descriptor(), &file) == 0 ? static_cast<std::uint64_t>(file.st_blocks) * 512 : 0;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::array<unsigned char, 4096> there{};
  std::uint64_t pages = 0;
  for (std::uint64_t at = 0; at < bytes; at += there.size() * page) {
    const std::uint64_t piece = std::min(bytes - at, there.size() * page);
    if (mincore(backing_.data() + at, piece, there.data()) != 0) continue;
    const auto end = there.begin() + static_cast<std::ptrdiff_t>((piece + page - 1) / page);
    pages += static_cast<std::uint64_t>(std::count_if(there.begin(), end, [](unsigned char one) { return one & 1; }));
  }
  return pages * page;
}

base::Status Room::check(std::uint64_t bytes) {
  if (bytes <= checked_) return base::Status::success();
  const std::uint64_t needed = bytes - std::min(bytes, bytes_with_pages(bytes));
  const platform::MemoryLimit limit = limit_();
  if (needed > limit.bytes)
    return {base::Code::no_space, fmt::format("{} MiB of it have no pages yet, and {} leaves {} MiB", needed >> 20,
                                              limit.limited_by, limit.bytes >> 20)};
  constexpr std::uint64_t kSome = 16;  // with much room the system is asked seldom
  checked_ = bytes + (limit.bytes - needed) / kSome;
  return base::Status::success();
}

}  // namespace weir::island
