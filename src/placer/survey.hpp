// SPDX-License-Identifier: Apache-2.0

// Where each page of this process is: what /proc/self/maps names, what /proc/self/pagemap says is there, and where
// move_pages() says it is.
//
// A program frees most of its memory before it ends. So a survey is taken when it is at its largest, which is just
// before something large is given back: consider() is called there, and costs a read of /proc unless the process has
// grown by a twentieth since the last survey. Any thread, one survey at a time, on stacks of a few kilobytes; nothing
// here calls malloc() or is a cancellation point.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "placer/lock.hpp"
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
  // The largest there was, now included, and no survey is taken from here on. Where another one does not end, as this
  // thread is in a signal handler that has interrupted it: what was counted before.
  const Count& last() noexcept;
  // In the child of fork().
  void begin_again() noexcept;

 private:
  struct Mapping;
  bool has_grown(std::uint64_t own_bytes) const noexcept;
  void survey(std::uint64_t own_bytes) noexcept;
  void count(const Mapping& mapping, Count& into) noexcept;
  void count_where_touched(const Mapping& mapping, std::uintptr_t begin, std::uintptr_t end, Kind kind,
                           Count& into) noexcept;
  void count_part(const Mapping& mapping, std::uintptr_t begin, std::uintptr_t end, Kind kind, Count& into) noexcept;
  void ask(std::size_t pages, Kind kind, Count& into) noexcept;

  const Settings& settings_;
  Ranges& large_;
  Ranges& stacks_;
  Lock lock_;  // of a survey, and of what it writes
  int pagemap_ = -1;
  std::atomic<std::uint64_t> largest_{0};  // bytes of its own that the process had at the largest survey
  // When own memory was last told from pages of files, which takes a longer look: while their sum stays, so do they.
  std::atomic<std::uint64_t> shared_{0}, pages_of_files_{0};
  // A survey fills the one that is not published_. last() reads that one while a survey may run: closing_ sees to it
  // that no other begins.
  Count counts_[2] = {};
  std::atomic<int> published_{0};
  std::atomic<bool> closing_{false};
};

}  // namespace weir::placer
