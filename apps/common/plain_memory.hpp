// SPDX-License-Identifier: Apache-2.0

// Memory for the variants that know nothing of tiers: ordinary memory, or a file that is mapped and left to the
// kernel's paging.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/result.hpp"

namespace weir::apps {

class PlainMemory {
 public:
  // `folder` empty: ordinary memory. Else a file in it, without a name, whose space on the disk is taken now.
  // no_space or io_error names the folder and the size.
  static base::Result<PlainMemory> create(std::uint64_t bytes, const std::string& folder);

  PlainMemory(PlainMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_), next_(other.next_) {}
  PlainMemory& operator=(PlainMemory&&) = delete;
  ~PlainMemory();

  // The next `count` doubles, on a page of their own; zero. At most what was created in all (each rounded up to a
  // page).
  double* take(std::uint64_t count);
  static std::uint64_t rounded(std::uint64_t count);  // bytes that take(count) uses

 private:
  PlainMemory(char* data, std::uint64_t bytes) noexcept : data_(data), bytes_(bytes) {}

  char* data_;
  std::uint64_t bytes_;
  std::uint64_t next_ = 0;
};

}  // namespace weir::apps
