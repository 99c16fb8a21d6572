// SPDX-License-Identifier: Apache-2.0

// Where each page of this process is: what /proc/self/maps names, what /proc/self/pagemap says is there, and where
// move_pages() says it is.
//
// A program frees most of its memory before it ends. So a survey is taken when it is at its largest, which is just
// before something large is given back: consider() is called there. It costs a system call where the process cannot
// have grown by a twentieth since the last survey, as its page faults tell; else a read of /proc, and where it has, a
// survey. Any thread, one at a time, on stacks of a few kilobytes; nothing here calls malloc() or is a cancellation
// point.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "placer/kept.hpp"
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
  constexpr Surveyor(const Settings& settings, Ranges& large, Ranges& stacks, Kept& kept) noexcept
      : settings_(settings), large_(large), stacks_(stacks), kept_(kept) {}

  // Something large is about to go.
  void consider() noexcept;
  // The largest there was, now included, and no survey is taken from here on. Where another one does not end, as this
  // thread is in a signal handler that has interrupted it: what was counted before.
  const Count& last() noexcept;
  // last() was not the last one.
  void go_on() noexcept { closing_ = false; }
  // No file is open in between, and so none in a child of fork(). False: a file may be, as this thread is in a signal
  // handler that has interrupted a survey; release() is not for it then.
  bool hold() noexcept { return lock_.hold_at_end(); }
  void release() noexcept { lock_.release(); }
  // In the child of fork(); another thread of the parent may have held it.
  void open_in_child() noexcept { lock_.open_in_child(); }
  // What the parent has counted is forgotten.
  void begin_again() noexcept;

 private:
  struct Mapping;
  static constexpr std::uint64_t kNeverLooked = UINT64_MAX / 2;
  bool has_grown(std::uint64_t own_bytes) const noexcept;
  bool may_have_grown(std::uint64_t faults) const noexcept;
  void look(std::uint64_t faults) noexcept;
  void survey(std::uint64_t own_bytes) noexcept;
  void count(const Mapping& mapping, Count& into) noexcept;
  void count_where_touched(const Mapping& mapping, std::uintptr_t begin, std::uintptr_t end, Kind kind,
                           Count& into) noexcept;
  void count_part(const Mapping& mapping, std::uintptr_t begin, std::uintptr_t end, Kind kind, Count& into) noexcept;
  void ask(std::size_t pages, Kind kind, Count& into) noexcept;

  const Settings& settings_;
  Ranges& large_;
  Ranges& stacks_;
  Kept& kept_;
  Lock lock_;  // of files that are open, of a survey, and of what it writes
  int pagemap_ = -1;
  std::atomic<std::uint64_t> largest_{0};  // bytes of its own that the process had at the largest survey
  // What it had at most when it was last looked at, and how many page faults it had had by then. The bytes are written
  // first, and read last: they are of that moment, or of a later one.
  std::atomic<std::uint64_t> seen_bytes_{kNeverLooked}, seen_faults_{0};
  // When own memory was last told from pages of files, which takes a longer look: while their sum stays, so do they.
  std::atomic<std::uint64_t> shared_{0}, pages_of_files_{0};
  // A survey fills the one that is not published_. last() reads that one while a survey may run: closing_ sees to it
  // that no other begins.
  Count counts_[2] = {};
  std::atomic<int> published_{0};
  std::atomic<bool> closing_{false};
};

}  // namespace weir::placer
