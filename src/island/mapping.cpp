// SPDX-License-Identifier: Apache-2.0

#include "island/mapping.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace weir::island {
namespace {

base::Status cannot_map(Bytes size, const std::string& why) {
  return {base::Code::no_space, fmt::format("cannot map {} MiB for islands: {}; ask for less (island_heap), or allow "
                                            "more (ulimit -v, ulimit -d, /proc/sys/vm/overcommit_memory)",
                                            size.count >> 20, why)};
}

}  // namespace

base::Result<PrivateMapping> PrivateMapping::map(Bytes size, std::byte* address) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t bytes = (size.count + page - 1) / page * page;
  const int fixed = address == nullptr ? 0 : MAP_FIXED_NOREPLACE;
  errno = ENOMEM;  // rounding up went past the last number
  void* const data = bytes < size.count ? MAP_FAILED
                                        : mmap(address, bytes, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  if (data == MAP_FAILED) return cannot_map(size, std::generic_category().message(errno));
  // What is copied line by line is to be there page by page, not 2 MiB at a time.
  (void)madvise(data, bytes, MADV_NOHUGEPAGE);
  return PrivateMapping(static_cast<std::byte*>(data), {bytes});
}

PrivateMapping::~PrivateMapping() {
  if (data_ != nullptr) munmap(data_, size_.count);
}

void PrivateMapping::clear() noexcept { (void)madvise(data_, size_.count, MADV_DONTNEED); }

}  // namespace weir::island
