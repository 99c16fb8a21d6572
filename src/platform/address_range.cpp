// SPDX-License-Identifier: Apache-2.0

#include "platform/address_range.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace weir::platform {
namespace {

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// For kernels before 5.14.
void touch(std::byte* data, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += page_bytes()) *const_cast<volatile std::byte*>(data + at) = std::byte{0};
}

// 0, or the errno of the failure.
int make_pages(std::byte* data, std::size_t bytes) {
  if (mprotect(data, bytes, PROT_READ | PROT_WRITE) != 0) return errno;
  while (madvise(data, bytes, MADV_POPULATE_WRITE) != 0) {
    if (errno == EINTR || errno == EAGAIN) continue;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    touch(data, bytes);
    break;
  }
  return 0;
}

}  // namespace

base::Result<AddressRange> AddressRange::reserve(Bytes size, std::span<const int> os_nodes, PageSize page_size) {
  // A page without memory on each side, so that the kernel merges this with no neighbour.
  const std::size_t mapped = size.count + kLargePage + 2 * page_bytes();
  void* mapping = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) {
    return base::Status{base::Code::no_space,
                        fmt::format("cannot reserve {} bytes of addresses: {}", mapped, std::strerror(errno))};
  }
  const std::size_t start = reinterpret_cast<std::size_t>(mapping) + page_bytes();
  const std::size_t skipped = (kLargePage - start % kLargePage) % kLargePage;
  auto* data = static_cast<std::byte*>(mapping) + page_bytes() + skipped;
  AddressRange range(mapping, mapped, data, size);
  wish_for_pages(data, size, page_size);
  if (!os_nodes.empty()) {
    if (base::Status status = prefer_nodes(data, size, os_nodes); !status) return status;
  }
  return range;
}

AddressRange::AddressRange(AddressRange&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_(other.mapped_),
      data_(other.data_),
      size_(other.size_) {}

AddressRange::~AddressRange() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

base::Status AddressRange::populate(std::size_t offset, std::size_t bytes) {
  const int error = make_pages(data_ + offset, bytes);
  if (error == 0) return base::Status::success();
  release(offset, bytes);
  return {base::Code::no_space, fmt::format("the system gives no {} bytes more: {}", bytes, std::strerror(error))};
}

bool AddressRange::prepare(std::size_t offset, std::size_t bytes) const noexcept {
  if (mprotect(data_ + offset, bytes, PROT_READ | PROT_WRITE) != 0) return false;
  int result = 0;
  do {
    result = madvise(data_ + offset, bytes, MADV_POPULATE_WRITE);
  } while (result != 0 && (errno == EINTR || errno == EAGAIN));
  return result == 0;
}

void AddressRange::release(std::size_t offset, std::size_t bytes) noexcept {
  madvise(data_ + offset, bytes, MADV_DONTNEED);
  mprotect(data_ + offset, bytes, PROT_NONE);
}

Bytes AddressRange::in_large_pages(std::size_t bytes) const {
  const auto first = reinterpret_cast<std::uintptr_t>(data_);
  std::ifstream file("/proc/self/smaps");
  bool inside = false;
  std::uint64_t total = 0;
  for (std::string line; std::getline(file, line);) {
    std::uintptr_t from = 0, to = 0;
    std::uint64_t kilobytes = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2) {
      inside = from >= first && from < first + bytes;
    } else if (inside && std::sscanf(line.c_str(), "AnonHugePages: %" SCNu64, &kilobytes) == 1) {
      total += kilobytes * 1024;
    }
  }
  return {total};
}

}  // namespace weir::platform
