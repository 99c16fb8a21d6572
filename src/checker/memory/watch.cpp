// SPDX-License-Identifier: Apache-2.0

#include "checker/memory/watch.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace weir::checker {

namespace {

constexpr std::uint8_t kReadWrite = PROT_READ | PROT_WRITE;

int protection_in(const Page& page, PageState state) noexcept {
  switch (state) {
    case PageState::open: return page.protection;
    case PageState::readable: return page.protection & ~PROT_WRITE;
    case PageState::closed: break;
  }
  return PROT_NONE;
}

}  // namespace

template <class Visit>
void Watch::for_each_page(const Extent& extent, Visit&& visit) {
  std::uintptr_t next = 0;
  checker::for_each_run(extent, 0, ~std::uintptr_t{0}, [&](std::uintptr_t start, std::uintptr_t end) {
    for (std::uintptr_t page = std::max(page_of(start), next); page < end; page += kPageBytes) {
      next = page + kPageBytes;
      if (!is_left_out(page)) visit(page);
    }
  });
}

RegionId Watch::add(const WatchedRegion& region) {
  const auto [found, is_new] = by_extent_.try_emplace(region.extent, 0);
  if (!is_new) {
    ++regions_[found->second].uses;
    return found->second;
  }
  RegionId id = static_cast<RegionId>(regions_.size());
  if (free_.empty()) {
    regions_.push_back(region);
  } else {
    id = free_.back();
    free_.pop_back();
    regions_[id] = region;
  }
  found->second = id;
  regions_[id].uses = 1;
  for_each_page(region.extent, [&](std::uintptr_t address) {
    const auto [at, new_page] = pages_.try_emplace(address, memory_);
    Page& page = at->second;
    if (new_page) {
      const Mapping* const mapping = mapping_at(address);
      page.protection = mapping != nullptr ? mapping->protection : kReadWrite;
      page.strict = region.strict;
      ranges_fresh_ = false;
      if (closed_) open_page(address, page, PageState::open);
    }
    page.regions.push_back(id);
    checker::add(page.watched, region.extent, address);
    if (region.kind == RegionKind::beyond_block) checker::add(page.beyond, region.extent, address);
  });
  return id;
}

void Watch::remove(RegionId id) {
  WatchedRegion& region = regions_[id];
  if (--region.uses != 0) return;
  for_each_page(region.extent, [&](std::uintptr_t address) {
    Page& page = pages_.find(address)->second;
    std::erase(page.regions, id);
    rebuild(address, page);
    if (!page.regions.empty()) return;
    platform::protect(address, kPageBytes, page.protection);
    pages_.erase(address);
    ranges_fresh_ = false;
  });
  by_extent_.erase(region.extent);
  region = {};
  free_.push_back(id);
}

void Watch::turn_into(RegionId id, RegionKind kind) { regions_[id].kind = kind; }

void Watch::open_outside(std::uintptr_t start, std::size_t bytes) {
  for (std::uintptr_t at = page_of(start); at < start + bytes; at += kPageBytes) {
    Page* const page = find(at);
    if (page == nullptr || page->closed_for_good) continue;
    page->strict = false;
    if (!closed_) platform::protect(at, kPageBytes, page->protection);
  }
  ranges_fresh_ = false;
}

void Watch::close_for_good(std::uintptr_t start, std::size_t bytes) {
  for (std::uintptr_t at = start; at < start + bytes; at += kPageBytes) {
    Page* const page = find(at);
    if (page == nullptr) continue;
    page->strict = page->closed_for_good = true;
    page->epoch = 0;
  }
  platform::protect(start, bytes, PROT_NONE);
  ranges_fresh_ = false;
}

void Watch::rebuild(std::uintptr_t address, Page& page) {
  page.watched = page.beyond = {};
  for (const RegionId id : page.regions) {
    checker::add(page.watched, regions_[id].extent, address);
    if (regions_[id].kind == RegionKind::beyond_block) checker::add(page.beyond, regions_[id].extent, address);
  }
}

const WatchedRegion* Watch::region_at(std::uintptr_t address) {
  const Page* const page = find(page_of(address));
  if (page == nullptr) return nullptr;
  const WatchedRegion* best = nullptr;
  for (const RegionId id : page->regions) {
    const WatchedRegion& region = regions_[id];
    if (!overlaps(region.extent, address, address + 1)) continue;
    if (best == nullptr || region.extent.bytes() < best->extent.bytes()) best = &region;
  }
  return best;
}

// Neighbours in one range, so that a task costs a few system calls.
void Watch::make_ranges() {
  if (ranges_fresh_) return;
  ranges_.clear();
  for (const auto& [address, page] : pages_)
    if (!page.closed_for_good) ranges_.push_back({address, address + kPageBytes, page.protection, page.strict});
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.start < b.start; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < ranges_.size(); ++i) {
    Range& range = ranges_[last];
    const Range& next = ranges_[i];
    if (next.start == range.end && next.protection == range.protection && next.strict == range.strict)
      range.end = next.end;
    else
      ranges_[++last] = next;
  }
  if (!ranges_.empty()) ranges_.resize(last + 1);
  ranges_fresh_ = true;
}

void Watch::open(bool all) {
  make_ranges();
  closed_ = false;
  opened_.clear();
  ++epoch_;
  for (const Range& range : ranges_)
    platform::protect(range.start, range.end - range.start, all || !range.strict ? range.protection : PROT_NONE);
}

void Watch::close() {
  make_ranges();
  closed_ = true;
  opened_.clear();
  ++epoch_;
  for (const Range& range : ranges_) platform::protect(range.start, range.end - range.start, PROT_NONE);
}

// Calls visit(start, end) for each run of neighbours among the pages, which are in order then.
template <class Visit>
void Watch::for_each_run_of(std::pmr::vector<std::uintptr_t>& pages, Visit&& visit) {
  std::sort(pages.begin(), pages.end());
  for (std::size_t i = 0; i < pages.size();) {
    const std::uintptr_t start = pages[i];
    std::uintptr_t end = start;
    for (; i < pages.size() && pages[i] <= end; ++i) end = pages[i] + kPageBytes;
    visit(start, end);
  }
}

void Watch::close_again() {
  if (!closed_) return close();
  std::erase_if(opened_, [&](std::uintptr_t address) { return find(address) == nullptr; });
  for_each_run_of(opened_,
                  [](std::uintptr_t start, std::uintptr_t end) { platform::protect(start, end - start, PROT_NONE); });
  opened_.clear();
  ++epoch_;
}

void Watch::open_for_hook() {
  for (const std::uintptr_t address : of_hooks_)
    if (Page* const page = find(address); page != nullptr && state_of(*page) != PageState::open)
      open_page(address, *page, PageState::open);
}

void Watch::open_page_for_hook(std::uintptr_t address, Page& page) {
  constexpr std::size_t kMost = 32;
  if (!std::exchange(page.met_by_hook, true)) {
    if (of_hooks_.size() == kMost) of_hooks_.erase(of_hooks_.begin());
    of_hooks_.push_back(address);
  }
  open_page(address, page, PageState::open);
}

void Watch::open_page(std::uintptr_t address, Page& page, PageState next) {
  page.state = next;
  page.epoch = epoch_;
  opened_.push_back(address);
  platform::protect(address, kPageBytes, protection_in(page, next));
}

void Watch::let_through(std::uintptr_t address, const Page& page) noexcept {
  platform::protect(address, kPageBytes, page.protection);
}

void Watch::take_back(std::uintptr_t address, const Page& page) const noexcept {
  platform::protect(address, kPageBytes, protection_in(page, state_of(page)));
}

template <class Visit>
void Watch::for_each_range(std::uintptr_t start, std::size_t bytes, Visit&& visit) {
  make_ranges();
  const std::uintptr_t end = start + bytes;
  auto at = std::partition_point(ranges_.begin(), ranges_.end(), [&](const Range& r) { return r.end <= start; });
  for (; at != ranges_.end() && at->start < end; ++at)
    visit(std::max(at->start, page_of(start)), std::min(at->end, page_of(end - 1) + kPageBytes), *at);
}

void Watch::let_through_all(std::uintptr_t start, std::size_t bytes) {
  for_each_range(start, bytes, [](std::uintptr_t from, std::uintptr_t to, const Range& range) {
    platform::protect(from, to - from, range.protection);
  });
}

void Watch::take_back_all(std::uintptr_t start, std::size_t bytes) {
  for_each_range(start, bytes, [&](std::uintptr_t from, std::uintptr_t to, const Range&) {
    for (std::uintptr_t page = from; page < to; page += kPageBytes) take_back(page, *find(page));
  });
}

void Watch::leave_out(std::uintptr_t address) {
  const std::uintptr_t page = page_of(address);
  if (is_left_out(page)) return;
  left_out_.push_back(page);
  const auto watched = pages_.find(page);
  if (watched == pages_.end()) return;
  platform::protect(page, kPageBytes, watched->second.protection);
  pages_.erase(watched);
  ranges_fresh_ = false;
}

bool Watch::is_left_out(const Extent& extent) const noexcept {
  return std::any_of(left_out_.begin(), left_out_.end(),
                     [&](std::uintptr_t page) { return overlaps(extent, page, page + kPageBytes); });
}

bool Watch::has_any(std::uintptr_t start, std::size_t bytes) {
  bool any = false;
  for_each_range(start, bytes, [&](std::uintptr_t, std::uintptr_t, const Range&) { any = true; });
  return any;
}

// Into memory of its own: the kernel heeds what is closed.
void Watch::read_mappings() {
  mappings_.clear();
  const int maps = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return;
  std::pmr::vector<char> text(std::size_t{1} << 16, '\0', memory_);
  std::size_t end = 0;
  for (;;) {
    if (text.size() - end < kPageBytes) text.resize(2 * text.size());
    const ssize_t bytes = ::read(maps, text.data() + end, text.size() - end - 1);
    if (bytes <= 0) break;
    end += static_cast<std::size_t>(bytes);
  }
  ::close(maps);
  text[end] = '\0';
  for (const char* line = text.data(); *line != '\0';) {
    unsigned long start = 0, last = 0;
    char rights[8] = {};
    if (std::sscanf(line, "%lx-%lx %7s", &start, &last, rights) == 3) {
      const int protection =
          (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0) | (rights[2] == 'x' ? PROT_EXEC : 0);
      mappings_.push_back({start, last, static_cast<std::uint8_t>(protection)});
    }
    const char* const next = std::strchr(line, '\n');
    if (next == nullptr) break;
    line = next + 1;
  }
}

const Watch::Mapping* Watch::mapping_at(std::uintptr_t address) const noexcept {
  const auto after = std::upper_bound(mappings_.begin(), mappings_.end(), address,
                                      [](std::uintptr_t at, const Mapping& mapping) { return at < mapping.start; });
  if (after == mappings_.begin()) return nullptr;
  const Mapping& mapping = *std::prev(after);
  return address < mapping.end ? &mapping : nullptr;
}

void Watch::learn_mappings(const Extent& extent) {
  const bool known = pages_.contains(page_of(extent.base)) || mapping_at(extent.base) != nullptr;
  const std::uintptr_t last = extent.end() - 1;
  if (known && (pages_.contains(page_of(last)) || mapping_at(last) != nullptr)) return;
  read_mappings();
}

void Watch::know_mapping(std::uintptr_t start, std::uintptr_t end, int protection) {
  const auto after = std::upper_bound(mappings_.begin(), mappings_.end(), start,
                                      [](std::uintptr_t at, const Mapping& mapping) { return at < mapping.start; });
  mappings_.insert(after, {start, end, static_cast<std::uint8_t>(protection)});
}

}  // namespace weir::checker
