// SPDX-License-Identifier: Apache-2.0

#include "checker/judge/run.hpp"

#include <algorithm>

namespace weir::checker {

namespace {

// So often an access is judged by itself before its page is opened: what small data is touched by is known exactly. Of
// tasks from a site from which there were many, less often.
constexpr std::uint32_t kExactSteps = 24, kFewSteps = 1, kSharedSteps = 4;

// One that it still has, if there is one.
Item* item_at(Run& run, std::uintptr_t address) {
  Item* found = nullptr;
  for (Item& item : run.items)
    if (overlaps(item.extent, address, address + 1) && (found == nullptr || !item.released)) found = &item;
  return found;
}

Sharing sharing_at(Run& run, std::uintptr_t address) {
  const Item* const item = item_at(run, address);
  return item == nullptr ? Sharing::none : item->sharing;
}

bool has_made(Run& run, std::uintptr_t address) {
  const Item* const item = item_at(run, address);
  return item != nullptr && item->out && item->ocr_mode != 0;
}

// The same items have all bytes of the page from `first` until there, at most `last`.
std::size_t same_until(const Run& run, std::uintptr_t page, std::size_t first, std::size_t last) {
  for (const Item& item : run.items) {
    const Extent& extent = item.extent;
    if (extent.empty() || extent.base >= page + last || extent.end() <= page + first) continue;
    if (extent.counts[0] * extent.counts[1] != 1) return first + 1;
    if (extent.base > page + first) last = std::min(last, extent.base - page);
    last = std::min(last, extent.end() - page);
  }
  return last;
}

void note(Run& run, Touches& touches, std::uintptr_t page, const Bits& bytes, bool writes, bool assumed,
          const Frames* at) {
  Bits& known = writes ? touches.written : touches.read;
  const bool shares =
      std::any_of(run.items.begin(), run.items.end(), [](const Item& item) { return item.sharing != Sharing::none; });
  (bytes - known).for_each_run([&](std::size_t first, std::size_t last) {
    while (first < last) {
      const Sharing sharing = shares ? sharing_at(run, page + first) : Sharing::none;
      std::size_t end = shares ? same_until(run, page, first, last) : last;
      while (end < last && sharing_at(run, page + end) == sharing) end = same_until(run, page, end, last);
      touches.list.push_back({static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(end), writes, assumed,
                              sharing, at, sharing == Sharing::writer && has_made(run, page + first)});
      first = end;
    }
  });
  known |= bytes;
}

void touch_items(Run& run, std::uintptr_t page, const Bits& bytes) {
  for (Item& item : run.items) {
    if (item.touched || item.extent.empty() || item.extent.base >= page + kPageBytes || item.extent.end() <= page)
      continue;
    Bits own;
    add(own, item.extent, page);
    item.touched = (own & bytes).any();
  }
}

}  // namespace

RunPage& Run::page(std::uintptr_t address, std::pmr::memory_resource* memory) {
  const auto [found, is_new] = pages.try_emplace(address, memory);
  RunPage& page = found->second;
  if (!is_new) return page;
  for (const Item& item : items) {
    if (item.extent.empty() || item.extent.base >= address + kPageBytes || item.extent.end() <= address) continue;
    if (item.reads) add(page.readable, item.extent, address);
    if (item.writes) add(page.writable, item.extent, address);
    if (item.out) add(page.fresh, item.extent, address);
  }
  for (const Item& item : items) {  // what is named twice has both rights
    if (!item.reads || item.out) continue;
    Bits own;
    add(own, item.extent, address);
    page.fresh = page.fresh - own;
  }
  if (beside.contains(address)) page.fresh = {};
  return page;
}

Breach judge(Run& run, RunPage& rights, const Page& page, std::uintptr_t address, const Bits& bytes, bool writes,
             const Frames* at) {
  const Bits meant = bytes & page.watched;
  Breach breach;
  if (!meant.any()) return breach;
  touch_items(run, address, meant);
  const auto blame = [&](const Bits& bad, FindingKind kind) {
    std::size_t first = 0, last = 0;
    bad.first_run(first, last);
    breach = {true, kind, address + first, last - first, nullptr};
  };
  if (run.restricted) {
    const Bits bad = meant - (writes ? rights.writable : rights.readable);
    if (bad.any()) {
      const Bits named = bad & (writes ? rights.readable : rights.writable);
      blame(named.any() ? named : bad, named.any() ? FindingKind::wrong_mode : FindingKind::undeclared);
    } else if (!writes && (meant & rights.fresh).any()) {
      blame(meant & rights.fresh, FindingKind::read_first);
    }
    if (breach.found) breach.item = item_at(run, breach.address);
  }
  rights.wrong = rights.wrong || breach.found;
  if (writes) rights.fresh = rights.fresh - meant;
  note(run, rights.touches, address, meant, writes, false, at);
  ++rights.steps;
  ++run.accesses;
  return breach;
}

void note_beside(Run& run, const Page& page, std::uintptr_t address, const Bits& bytes, bool writes, bool for_task,
                 const Frames* at) {
  const Bits meant = bytes & page.watched;
  touch_items(run, address, page.watched);
  Touches& beside = run.beside.try_emplace(address, run.beside.get_allocator().resource()).first->second;
  if (const auto own = run.pages.find(address); own != run.pages.end()) own->second.fresh = {};
  if (!for_task) return;
  Bits allowed;
  for (const Item& item : run.items)
    if (!item.released && (writes ? item.writes : item.reads)) add(allowed, item.extent, address);
  note(run, beside, address, run.restricted ? meant & allowed : meant, writes, false, at);
  run.has_beside = true;
}

void take_beside(Run& run, std::pmr::memory_resource* memory) {
  run.has_beside = false;
  for (auto& [address, touches] : run.beside) {
    std::pmr::vector<Touch>& list = run.page(address, memory).touches.list;
    list.insert(list.end(), touches.list.begin(), touches.list.end());
    touches.clear();
  }
}

void forget_beside(Run& run) {
  decltype(run.beside) nothing(run.beside.get_allocator());
  run.beside.swap(nothing);
}

PageState may_open(const Run& run, RunPage& rights, const Page& page) {
  if (!run.restricted || run.exact == Run::kAll) return PageState::closed;
  const bool exact = run.accesses < run.exact;
  if (exact && run.forks != 0) return PageState::closed;  // each part's share is known to the byte
  const Bits needed = exact ? page.watched : page.watched - page.beyond;
  if (!needed.any()) return PageState::closed;
  if (!exact && !rights.readable.contains(needed)) {  // others have some of it
    if (rights.wrong || rights.steps < kSharedSteps || !rights.readable.any()) return PageState::closed;
    return (rights.writable & needed).any() ? PageState::open : PageState::readable;
  }
  if (!rights.readable.contains(needed)) return PageState::closed;
  if (rights.steps < (exact ? kExactSteps : kFewSteps)) return PageState::closed;
  if (exact && (rights.fresh & page.watched).any()) return PageState::closed;
  return rights.writable.contains(needed) ? PageState::open : PageState::readable;
}

void leave_open(Run& run, RunPage& rights, const Page& page, std::uintptr_t address, PageState left, const Frames* at) {
  const Bits own = (page.watched - page.beyond) & rights.readable;
  touch_items(run, address, own);
  if (!rights.left_to_itself) note(run, rights.touches, address, own, false, true, at);
  if (left == PageState::open) note(run, rights.touches, address, own & rights.writable, true, true, at);
  if (!(left == PageState::open ? rights.writable : rights.readable).contains(page.watched)) run.in_part = true;
  rights.left_to_itself = true;
  rights.fresh = {};
}

}  // namespace weir::checker
