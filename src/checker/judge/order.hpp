// SPDX-License-Identifier: Apache-2.0

// Order: which parts of tasks come before which, whatever the timing; and Shadow: who has touched which bytes, to find
// two that touch the same without an order.
//
// A task is a chain of segments, cut where it spawns or waits, and an end that comes after them and after its children.
// Tasks run one at a time and nothing is looked for but paths between what was recorded, so that a pair is found
// however far apart the two have run. Guarded by the checker's turn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <span>
#include <unordered_map>
#include <vector>

#include "checker/memory/extent.hpp"

namespace weir::checker {

struct Frames;
struct TaskInfo;

struct Segment {
  explicit Segment(std::pmr::memory_resource* memory) : before(memory) {}
  std::pmr::vector<Segment*> before;
  // The last that gave up blocks, which they had for themselves, before this took them: in this run, and by chance.
  Segment* turn = nullptr;
  const TaskInfo* task = nullptr;
  const void* fork = nullptr;              // of a part of a fork_join(): the outermost one around it
  Segment* parent_end = nullptr;           // of an end: that of the parent, which comes later
  std::uint64_t last = ~std::uint64_t{0};  // when it was over, in steps of the run; not yet: the largest
  std::uint64_t seen = 0;                  // by which search
  bool shared = false;                     // something comes after it: what the task does next is another segment
};

class Order {
 public:
  explicit Order(std::pmr::memory_resource* memory) : memory_(memory), segments_(memory), stack_(memory) {}

  Segment* make(const TaskInfo* task) {
    Segment& made = segments_.emplace_back(memory_);
    made.task = task;
    return &made;
  }
  static void add_edge(Segment* before, Segment* after) { after->before.push_back(before); }
  // The segment has run as far as it will.
  void over(Segment* segment) noexcept { segment->last = ++now_; }
  // The same of a task, and hence of those it is a child of.
  void ended(Segment* end) noexcept {
    const std::uint64_t now = ++now_;
    for (Segment* s = end; s != nullptr; s = s->parent_end)
      if (s == end || s->last != ~std::uint64_t{0}) s->last = now;
  }
  // `from`, which has run before, comes before `to` in every run; `by_turns`: or in this one, by turns on blocks.
  bool comes_before(Segment* from, Segment* to, bool by_turns = false);
  void clear() noexcept { segments_.clear(); }

 private:
  std::pmr::memory_resource* memory_;
  std::pmr::deque<Segment> segments_;
  std::pmr::vector<Segment*> stack_;
  std::uint64_t now_ = 0;
  std::uint64_t searches_ = 0;
};

struct Touch {
  std::uint16_t first = 0, last = 0;  // bytes of the page: [first, last)
  bool writes = false;
  bool assumed = false;  // it could, on a page that was left open to it: no reason to find fault with anybody
  Sharing sharing = Sharing::none;
  const Frames* at = nullptr;
  bool made = false;  // of a block that the EDT itself has made
};

struct Conflict {
  Segment* earlier;
  Touch earlier_touch, later_touch;
  std::uintptr_t address;
  std::size_t bytes;
};

class Shadow {
 public:
  Shadow(Order& order, std::pmr::memory_resource* memory) : order_(order), memory_(memory), pages_(memory) {}

  // Segment has touched those bytes of the page. Calls conflict(Conflict) for each earlier access that it conflicts
  // with and has no order to, and suspicion(Segment*) where one of the two is only assumed.
  template <class F, class G>
  void record(Segment* segment, std::uintptr_t page, std::span<const Touch> touches, F&& conflict, G&& suspicion);
  void clear() { pages_.clear(); }

 private:
  struct Entry {
    Segment* segment;
    Touch touch;
  };
  struct Cell {
    std::uint16_t first, last;
    std::pmr::vector<Entry> entries;
  };
  using Cells = std::pmr::vector<Cell>;

  // Cells that are exactly [first, last) together; returns the index of the first.
  std::size_t cut(Cells& cells, std::uint16_t first, std::uint16_t last);
  static bool go_together(Sharing a, Sharing b) noexcept {
    if (a < Sharing::writer || b < Sharing::writer) return a == b && a != Sharing::none;
    return a != Sharing::writer || b != Sharing::writer;
  }
  // Of one task: there is nothing to be found with b that is not found with a. What was seen counts for more than what
  // is assumed, of which no fault is found.
  static bool covers(const Touch& a, const Touch& b) noexcept {
    return (a.writes || !b.writes) && (!a.assumed || b.assumed);
  }
  static bool excused(const Touch& a, const Touch& b) noexcept {
    return (!a.writes && !b.writes) || go_together(a.sharing, b.sharing);
  }

  Order& order_;
  std::pmr::memory_resource* memory_;
  std::pmr::unordered_map<std::uintptr_t, Cells> pages_;
};

template <class F, class G>
void Shadow::record(Segment* segment, std::uintptr_t page, std::span<const Touch> touches, F&& conflict,
                    G&& suspicion) {
  if (touches.empty()) return;
  Cells& cells = pages_.try_emplace(page).first->second;
  for (const Touch& touch : touches) {
    for (std::size_t i = cut(cells, touch.first, touch.last); i < cells.size() && cells[i].first < touch.last; ++i) {
      Cell& cell = cells[i];
      bool known = false;
      std::erase_if(cell.entries, [&](const Entry& entry) {
        const bool same = entry.segment == segment;
        if (same && covers(entry.touch, touch)) known = true;
        // Who has found a block's GUID in another block that its maker had for itself comes after the maker in every
        // run.
        const bool ordered = same || order_.comes_before(entry.segment, segment, entry.touch.made);
        if (!ordered && !excused(entry.touch, touch)) {
          if (entry.touch.assumed || touch.assumed)
            suspicion(entry.segment);
          else
            conflict(
                Conflict{entry.segment, entry.touch, touch, page + cell.first, std::size_t(cell.last - cell.first)});
        }
        return ordered && !known && (same ? covers(touch, entry.touch) : touch.writes || !entry.touch.writes);
      });
      if (!known) cell.entries.push_back({segment, touch});
    }
  }
}

}  // namespace weir::checker
