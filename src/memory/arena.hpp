// SPDX-License-Identifier: Apache-2.0

// Arena: memory of one node with an exact budget: a Space, a Backing, and growth by steps.
//
// The backing has offsets for the whole budget; memory appears in it by steps, touched at once and with the node
// preferred, never forced: a forced node that is full kills the process on Linux. After each step the backing is asked
// where the pages are. What a step cannot have is a failure (or, with `prefer`, a warning) of that step: the arena
// stays usable with the memory it has. Not thread-safe: the caller holds its lock. Allocating neither throws nor
// allocates from the heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "memory/backing.hpp"
#include "memory/memory_state.hpp"
#include "memory/space.hpp"
#include "platform/pages.hpp"

namespace weir::memory {

struct ArenaConfig {
  std::string name;           // for messages: "hbm0"
  std::vector<int> os_nodes;  // the kernel's numbers; none: wherever the kernel puts it; several: page by page in turn
  Bytes budget;               // rounded down to 4096
  int index = 0;              // in the TierSet
  platform::PageSize page_size = platform::PageSize::large;
  bool prefer = false;                // pages that land on another node are kept, with a warning
  double copy_fraction = 0;           // of an emulated tier: Backing::copy_fraction()
  std::optional<MemoryState> memory;  // none: of this system
};

class Arena {
 public:
  static constexpr std::size_t kPage = Space::kPage;
  static constexpr std::size_t kSmall = Space::kSmall;
  static constexpr std::uint64_t kNowhere = Space::kNowhere;
  using Sum = Space::Sum;

  // Reserves addresses, no memory. Fails with no_space when the address space is limited (ulimit -v).
  static base::Result<std::unique_ptr<Arena>> make(ArenaConfig config);
  // On another backing than private memory, with at least as many offsets as the budget has bytes: `os_nodes` and
  // `page_size` are of no effect then.
  static base::Result<std::unique_ptr<Arena>> make(ArenaConfig config, std::unique_ptr<Backing> backing);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Best fit. kNowhere when there is no hole so large and the arena cannot grow: within the budget, or because the
  // system refuses, which failure() then explains. A multiple of 64; from 4096 bytes on of 4096, and so rounded up
  // (O_DIRECT). Contents: anything. O(log holes); while the arena grows, as long as the kernel takes to clear pages.
  // Budget: allocate and free, 50 ns for 64 bytes, 150 ns for 64 KiB (bench/micro/arena_bench).
  std::uint64_t allocate(std::size_t bytes) noexcept;

  // `bytes` as given to allocate().
  void free(std::uint64_t offset, std::size_t bytes) noexcept;

  // For allocations whose size the caller does not keep. `alignment`: a power of two, of the address where there is
  // one; beyond 64 bytes a whole number of pages is taken. size_of() is what free() takes off used().
  std::uint64_t allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept;
  std::size_t size_of(std::uint64_t offset) const noexcept;
  void free(std::uint64_t offset) noexcept { free(offset, size_of(offset)); }

  // Null for kNowhere, and for memory that the processor cannot address.
  std::byte* address(std::uint64_t offset) const noexcept {
    return offset == kNowhere || data_ == nullptr ? nullptr : data_ + offset;
  }
  // Where an address lies that contains() accepts.
  std::uint64_t offset_of(const void* data) const noexcept {
    return static_cast<std::uint64_t>(static_cast<const std::byte*>(data) - data_);
  }
  Backing& backing() const noexcept;

  // Makes whole what is free: pages for small allocations are kept when these are gone, wherever they lie. O(such
  // pages).
  void trim() noexcept;

  // What is free goes back to the system, but for pieces of less than `least` bytes, and comes again by growth, as does
  // what trim() makes whole. Not while on_growth() is in use. Returns how many bytes. O(such pieces).
  std::size_t give_back(std::size_t least) noexcept;
  // The system may have room again: growth that it has refused is tried anew, within the budget that was asked for.
  void try_again() noexcept;

  static constexpr std::size_t charged(std::size_t bytes) noexcept { return Space::charged(bytes); }

  // Grows until `bytes` have pages, so that no allocation within them waits for the kernel. Fails as growth does:
  // no_space, naming the arena, what was asked and what there is.
  base::Status populate(Bytes bytes) noexcept;

  struct Range {
    std::size_t offset = 0, bytes = 0;
  };
  // What the arena will soon grow by, when `expected` bytes more will be wanted: without it, one step ahead of what is
  // free. None is due when `bytes` is 0, or until enough of it is to be worth a step; each is due until announce().
  Range growth_due(std::size_t expected = 0) const noexcept;
  void announce(const Range& due) noexcept;
  // Has the system prepare pages for that: growing does not wait for the kernel then. By one thread, in the order of
  // the ranges, of which this may be a part; without the lock. Nothing, once the system has had no room to spare.
  void prepare_growth(const Range& range) noexcept;

  // What it has grown by since the last call, from when on (platform::ticks()), and how long that took.
  struct Growth {
    std::uint64_t bytes = 0, start = 0, ticks = 0;
  };
  Growth take_growth() noexcept;

  // Called after each growth of memory that the processor addresses, with the new range, which stays mapped until the
  // arena ends (registered I/O buffers).
  void on_growth(std::function<void(std::span<std::byte>)> callback);

  std::size_t budget() const noexcept;        // lowered to populated() when the kernel refused to give more
  std::size_t used() const noexcept;          // charged bytes of what is allocated now
  std::size_t peak() const noexcept;          // of used()
  std::size_t populated() const noexcept;     // bytes that have pages
  std::size_t largest_free() const noexcept;  // bytes that lie together, of those that have pages
  int index() const noexcept;
  std::span<const int> os_nodes() const noexcept;
  const std::string& name() const noexcept;
  bool contains(const void* data) const noexcept;

  // Why the kernel last refused to give more; ok when it never did.
  const base::Status& failure() const noexcept;
  // Steps with pages on another node, kept because of `prefer`.
  std::uint64_t warnings() const noexcept;
  // Which part of the populated memory was on its nodes when it was populated, 0 to 1; 1 while there is none. None when
  // no node was asked for, or the kernel does not say.
  std::optional<double> obtained_share() const noexcept;
  // Which part of it is in large pages now; reads /proc, milliseconds.
  double large_page_share() const;

 private:
  class Impl;
  explicit Arena(std::unique_ptr<Impl> impl) noexcept;

  std::unique_ptr<Impl> impl_;
  std::byte* data_;  // of the backing
};

}  // namespace weir::memory
