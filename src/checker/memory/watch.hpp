// SPDX-License-Identifier: Apache-2.0

// Watch: the memory that footprints name and blocks own, page by page, and what may be done to each page now.
//
// Guarded by the checker's gate, a lock that handlers of faults take, too; nothing here uses malloc() while it is held.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <unordered_map>
#include <vector>

#include "checker/memory/extent.hpp"
#include "checker/tell/wire.hpp"

namespace weir::checker {

struct TaskInfo;

struct WatchedRegion {
  Extent extent;
  RegionKind kind = RegionKind::none;
  bool strict = false;     // closed outside of tasks, too
  std::size_t before = 0;  // beyond_block: bytes of the block, which ends where this begins
  std::uint32_t uses = 0;
  const TaskInfo* declarer = nullptr;
  char name[kNameBytes] = {};
};
using RegionId = std::uint32_t;

enum class PageState : std::uint8_t { open, closed, readable };

struct Page {
  explicit Page(std::pmr::memory_resource* memory) : regions(memory) {}
  Bits watched;
  Bits beyond;  // of these, what lies behind the end of blocks
  std::pmr::vector<RegionId> regions;
  std::uint64_t epoch = 0;            // of the last open() or close() when `state` was set by open_page()
  PageState state = PageState::open;  // otherwise it is that of all
  std::uint8_t protection = 0;        // what the program has given it
  bool strict = false;
  bool closed_for_good = false;
  bool met_by_hook = false;
};

class Watch {
 public:
  explicit Watch(std::pmr::memory_resource* memory)
      : memory_(memory),
        regions_(memory),
        free_(memory),
        by_extent_(memory),
        pages_(memory),
        ranges_(memory),
        mappings_(memory),
        left_out_(memory),
        opened_(memory),
        of_hooks_(memory) {}

  // Memory that is watched from now on, or once more. Each add() wants its remove().
  RegionId add(const WatchedRegion& region);
  void remove(RegionId id);
  // It stays watched, as something else.
  void turn_into(RegionId id, RegionKind kind);
  // Those pages are open outside of tasks from now on.
  void open_outside(std::uintptr_t start, std::size_t bytes);
  // Those pages stay closed for ever, in hooks too.
  void close_for_good(std::uintptr_t start, std::size_t bytes);

  Page* find(std::uintptr_t page) noexcept {
    const auto found = pages_.find(page);
    return found == pages_.end() ? nullptr : &found->second;
  }
  // The smallest region that has the byte; null when none has.
  const WatchedRegion* region_at(std::uintptr_t address);

  // Whether a page that is watched has some of those bytes.
  bool has_any(std::uintptr_t start, std::size_t bytes);
  // Whether a page of the extent is left out.
  bool is_left_out(const Extent& extent) const noexcept;

  // All that is watched can be touched, or nothing. What is strict stays closed in the first case unless `all`.
  void open(bool all);
  void close();
  // For a hook, while all is closed: the pages that hooks have met before; it opens others by open_page(), for hooks.
  void open_for_hook();
  void open_page_for_hook(std::uintptr_t address, Page& page);
  // All is closed again: after open() everything, otherwise what was opened page by page.
  void close_again();
  std::uint64_t epoch() const noexcept { return epoch_; }  // another one after each open() and close()
  bool is_closed() const noexcept { return closed_; }
  // One page, until the next open() or close().
  void open_page(std::uintptr_t address, Page& page, PageState next);
  PageState state_of(const Page& page) const noexcept {
    return page.epoch == epoch_ ? page.state : closed_ || page.strict ? PageState::closed : PageState::open;
  }
  // For one instruction, and back to what its state says.
  static void let_through(std::uintptr_t address, const Page& page) noexcept;
  void take_back(std::uintptr_t address, const Page& page) const noexcept;
  // The same for what is watched of a piece of memory.
  void let_through_all(std::uintptr_t start, std::size_t bytes);
  void take_back_all(std::uintptr_t start, std::size_t bytes);

  // Before a region is added: what the program's mappings allow. May read /proc.
  void learn_mappings(const Extent& extent);
  // A mapping that the checker has made.
  void know_mapping(std::uintptr_t start, std::uintptr_t end, int protection);
  // Pages that are never closed, though something on them be watched.
  void leave_out(std::uintptr_t address);

 private:
  struct Range {
    std::uintptr_t start, end;
    std::uint8_t protection;
    bool strict;
  };
  struct Mapping {
    std::uintptr_t start, end;
    std::uint8_t protection;
  };
  // Calls visit(from, to, range) for each piece of a range in there.
  template <class Visit>
  void for_each_range(std::uintptr_t start, std::size_t bytes, Visit&& visit);
  template <class Visit>
  static void for_each_run_of(std::pmr::vector<std::uintptr_t>& pages, Visit&& visit);
  template <class Visit>
  void for_each_page(const Extent& extent, Visit&& visit);
  void rebuild(std::uintptr_t address, Page& page);
  void make_ranges();
  void read_mappings();
  // Null when it is not known.
  const Mapping* mapping_at(std::uintptr_t address) const noexcept;
  bool is_left_out(std::uintptr_t page) const noexcept {
    return std::find(left_out_.begin(), left_out_.end(), page) != left_out_.end();
  }

  std::pmr::memory_resource* memory_;
  std::pmr::vector<WatchedRegion> regions_;
  std::pmr::vector<RegionId> free_;
  std::pmr::unordered_map<Extent, RegionId, Hash> by_extent_;
  std::pmr::unordered_map<std::uintptr_t, Page> pages_;
  std::pmr::vector<Range> ranges_;  // of pages_, in order, as long as ranges_fresh_
  bool ranges_fresh_ = true;
  bool closed_ = false;
  std::uint64_t epoch_ = 1;
  std::pmr::vector<Mapping> mappings_;  // by address
  std::pmr::vector<std::uintptr_t> left_out_;
  std::pmr::vector<std::uintptr_t> opened_;    // by open_page() since the last open() or close()
  std::pmr::vector<std::uintptr_t> of_hooks_;  // pages that hooks have met, some of which may not be watched any more
};

}  // namespace weir::checker
