// SPDX-License-Identifier: Apache-2.0

#include "island/room.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "platform/file_io.hpp"

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

// What the file system has; none: it does not say, or has no end.
std::optional<std::uint64_t> free_in_system_of(int file) {
  struct statvfs found {};
  if (fstatvfs(file, &found) != 0 || found.f_blocks == 0) return std::nullopt;
  return static_cast<std::uint64_t>(found.f_bavail) * found.f_frsize;
}

// A file whose holes are filled when they are written to, as far as its file system has room. That of memory may have
// no other end than memory.
bool has_holes(const memory::SharedBacking& backing) {
  const int file = backing.descriptor();
  if (file < 0 || !backing.takes_system_memory() || backing.has_large_pages()) return false;
  return !is_memory(backing) || free_in_system_of(file).has_value();
}

}  // namespace

Room::Room(const memory::SharedBacking& backing, unsigned copies, std::function<platform::MemoryLimit()> limit)
    : backing_(backing),
      copies_(copies),
      limit_(std::move(limit)),
      checked_(is_memory(backing) ? 0 : kAll),
      taken_(has_holes(backing) ? 0 : kAll) {}

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
  const base::Status status = check_memory(bytes);
  return status ? take_room(bytes) : status;
}

base::Status Room::check_memory(std::uint64_t bytes) {
  if (bytes <= checked_) return base::Status::success();
  const std::uint64_t new_pages = bytes - std::min(bytes, bytes_with_pages(bytes));
  const std::uint64_t needed = new_pages * (1 + copies_);
  const platform::MemoryLimit limit = limit_();
  if (needed > limit.bytes) {
    const std::string copies =
        copies_ == 0 ? "" : fmt::format(", which with copies in a process take {} MiB", needed >> 20);
    return {base::Code::no_space, fmt::format("{} MiB of it have no pages yet{}, and {} leaves {} MiB", new_pages >> 20,
                                              copies, limit.limited_by, limit.bytes >> 20)};
  }
  constexpr std::uint64_t kSome = 16;  // with much room the system is asked seldom
  checked_ = bytes + (limit.bytes - needed) / kSome;
  return base::Status::success();
}

// A file system that promises nothing is asked what it has, which others may take.
base::Status Room::take_room(std::uint64_t bytes) {
  if (bytes <= taken_) return base::Status::success();
  constexpr std::uint64_t kStep = std::uint64_t{2} << 20;
  const int file = backing_.descriptor();
  int error = ENOSPC;
  for (const std::uint64_t more : {std::min((bytes + kStep - 1) / kStep * kStep, backing_.size().count), bytes}) {
    if (error == ENOSPC) error = platform::reserve_space(file, taken_, more - taken_);
    if (error != 0) continue;
    taken_ = more;
    return base::Status::success();
  }
  const auto free = free_in_system_of(file);
  const std::uint64_t new_pages = bytes - std::min(bytes, bytes_with_pages(bytes));
  const bool promises = error != EOPNOTSUPP && error != ENOSYS && error != EPERM;  // the last two of a sandbox
  if (!promises && (!free || new_pages <= *free)) return base::Status::success();
  return {base::Code::no_space,
          fmt::format("{} KiB of it have no room in {} yet, and its file system has {}{}", new_pages >> 10,
                      backing_.name(), free ? fmt::format("{} KiB free", *free >> 10) : "no more",
                      error == ENOSPC || !promises ? "" : ": " + std::generic_category().message(error))};
}

}  // namespace weir::island
