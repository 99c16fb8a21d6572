// SPDX-License-Identifier: Apache-2.0

#include "island/mapping.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace weir::island {

base::Result<Mapping> Mapping::map(Bytes size, Between between) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t bytes = (size.count + page - 1) / page * page;
  const int sharing = between == Between::shared ? MAP_SHARED : MAP_PRIVATE;
  // Not less than was asked for where rounding up went past the last number.
  void* const data = bytes < size.count
                         ? MAP_FAILED
                         : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) {
    const int error = bytes < size.count ? ENOMEM : errno;
    return base::Status{
        base::Code::no_space,
        fmt::format("cannot map {} MiB for islands: {}; ask for less (island_heap), or allow more (ulimit "
                    "-v, /proc/sys/vm/overcommit_memory)",
                    size.count >> 20, std::strerror(error))};
  }
  // What is copied line by line is to be there page by page, not 2 MiB at a time.
  if (between == Between::own) (void)madvise(data, bytes, MADV_NOHUGEPAGE);
  return Mapping(static_cast<std::byte*>(data), {bytes});
}

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, size_.count);
}

void Mapping::clear() noexcept { (void)madvise(data_, size_.count, MADV_DONTNEED); }

}  // namespace weir::island
