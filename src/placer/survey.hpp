// SPDX-License-Identifier: Apache-2.0

// Where each page of this process is: what /proc/self/maps names, what /proc/self/pagemap says is there, and where
// move_pages() says it is.
//
// A program frees most of its memory before it ends. So a survey is taken when it is at its largest, which is just
// before something large is given back: consider() is called there, and costs a read of /proc unless the process has
// grown by a twentieth since the last survey. Any thread, one survey at a time; nothing here calls malloc().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "placer/ranges.hpp"
#include "placer/settings.hpp"
#include "placer/wire.hpp"

namespace weir::placer {

struct Count {
  std::uint64_t bytes[kKinds][kMostNodes];
};

class Surveyor {
 public:
  constexpr Surveyor(const Settings& settings, Ranges& large, Ranges& stacks) noexcept
      : settings_(settings), large_(large), stacks_(stacks) {}

  // Something large is about to go.
  void consider() noexcept;
  // The largest there was, now included.
  const Count& last() noexcept;
  // In the child of fork().
  void begin_again() noexcept;

 private:
  struct Mapping;
  void survey() noexcept;
  void count(const Mapping& mapping, Count& into) noexcept;
  void count_part(const Mapping& mapping, std::uintptr_t begin, std::uintptr_t end, Kind kind, Count& into) noexcept;
  void ask(void** addresses, std::size_t pages, Kind kind, Count& into) noexcept;

  const Settings& settings_;
  Ranges& large_;
  Ranges& stacks_;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  int pagemap_ = -1;
  std::atomic<std::uint64_t> largest_{0};  // resident bytes at the largest survey; written under the lock
  Count at_largest_ = {};
};

}  // namespace weir::placer
