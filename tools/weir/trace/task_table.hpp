// SPDX-License-Identifier: Apache-2.0

// TaskTable: what a writer of files knows of the tasks that events may still speak of: their numbers, and the edges of
// which one end has not run yet.
//
// Tasks that have run are forgotten after a while, so that it grows with the tasks that are unfinished, not with the
// length of the run; on request none is, for tasks that end much later than their functions. One thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace weir::tool::convert {

class TaskTable {
 public:
  enum class Keeps : bool { recent, all };
  explicit TaskTable(Keeps keeps = Keeps::recent) : keeps_(keeps) {}

  struct Run {
    std::uint32_t number = 0, track = 0;
    std::uint64_t start_ns = 0, end_ns = 0;
  };

  // Of a task, by its identity; from 1, in the order in which they are asked for.
  std::uint32_t number(std::uint64_t task) { return entries_[place(task)].run.number; }

  // 0: it has none, or was forgotten.
  std::uint32_t known_number(std::uint64_t task) const noexcept {
    const Entry* const entry = find(task);
    return entry == nullptr ? 0 : entry->run.number;
  }

  // It has a number, and ran() has not been called since.
  bool is_yet_to_run(std::uint64_t task) const noexcept {
    const Entry* const entry = find(task);
    return entry != nullptr && !entry->has_run;
  }

  // It has run. Calls edge(before, after) for each edge that had waited for it alone.
  template <class F>
  void ran(std::uint64_t task, std::uint32_t track, std::uint64_t start_ns, std::uint64_t end_ns, F&& edge) {
    const std::uint32_t at = place(task);
    Entry& entry = entries_[at];
    if (entry.has_run) return;
    entry.run = {entry.run.number, track, start_ns, end_ns};
    entry.has_run = true;
    if (keeps_ == Keeps::recent) recent_.push_back({task, pass_});
    const Run run = entry.run;
    for (std::uint32_t link = entry.links; link != kNone;) {
      const Link here = links_[link];
      free_links_.push_back(link);
      link = here.next;
      if (here.before.number != 0) {
        edge(here.before, run);
      } else if (const Entry* const after = find(here.after); after != nullptr) {
        add_edge(run, *after, edge);
      }
    }
    entries_[at].links = kNone;
  }

  // Calls edge(before, after) when both have run; otherwise ran() will.
  template <class F>
  void edge(std::uint64_t from, std::uint64_t to, F&& edge) {
    const std::uint32_t before = place(from), after = place(to);
    if (entries_[before].has_run) return add_edge(entries_[before].run, entries_[after], edge);
    add_link(before, {{}, to, kNone});
  }

  // The drainer has gone round once more. An event that was recorded before a task ended is drained one round after the
  // task's own at the latest, unless its thread was kept from recording it: for such, the last `kKept` stay longer.
  void next_pass() {
    ++pass_;
    while (recent_.size() > kKept && recent_.front().pass + 2 <= pass_) {
      forget(recent_.front().task);
      recent_.pop_front();
    }
  }

  std::size_t size() const noexcept { return used_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kKept = std::size_t{1} << 16;

  struct Entry {
    std::uint64_t task = 0;
    Run run;
    std::uint32_t links = kNone;
    bool has_run = false;
  };
  struct Link {
    Run before;           // has run; number 0: it is the task whose list this is in
    std::uint64_t after;  // task, when `before` is not known
    std::uint32_t next;
  };
  struct Ended {
    std::uint64_t task, pass;
  };

  template <class F>
  void add_edge(const Run& before, const Entry& after, F&& edge) {
    if (after.has_run)
      edge(before, after.run);
    else
      add_link(static_cast<std::uint32_t>(&after - entries_.data()), {before, 0, kNone});
  }

  void add_link(std::uint32_t entry, Link link) {
    link.next = entries_[entry].links;
    std::uint32_t at = static_cast<std::uint32_t>(links_.size());
    if (free_links_.empty()) {
      links_.push_back(link);
    } else {
      at = free_links_.back();
      free_links_.pop_back();
      links_[at] = link;
    }
    entries_[entry].links = at;
  }

  // Where the slot of a task is, or would be: the bits that all others of its word reach.
  std::size_t slot_of(std::uint64_t task) const noexcept {
    return (task * 0x9e37'79b9'7f4a'7c15U) >> (64 - std::countr_zero(slots_.size()));
  }
  std::size_t search(std::uint64_t task) const noexcept {
    std::size_t at = slot_of(task);
    while (slots_[at] != kNone && entries_[slots_[at]].task != task) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  const Entry* find(std::uint64_t task) const noexcept {
    const std::uint32_t entry = slots_[search(task)];
    return entry == kNone ? nullptr : &entries_[entry];
  }

  // Of its entry, which is made when there is none.
  std::uint32_t place(std::uint64_t task) {
    if (used_ >= slots_.size() / 2) grow();
    std::uint32_t& slot = slots_[search(task)];
    if (slot != kNone) return slot;
    if (free_entries_.empty()) {
      slot = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      slot = free_entries_.back();
      free_entries_.pop_back();
      entries_[slot] = {};
    }
    entries_[slot].task = task;
    entries_[slot].run.number = ++numbers_;
    ++used_;
    return slot;
  }

  void grow() {
    std::vector<std::uint32_t> old(slots_.size() * 2, kNone);
    old.swap(slots_);
    for (const std::uint32_t entry : old) {
      if (entry != kNone) slots_[search(entries_[entry].task)] = entry;
    }
  }

  // Those behind it in its run of slots move up, where that is not before their own place.
  void forget(std::uint64_t task) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t hole = search(task);
    free_entries_.push_back(slots_[hole]);
    --used_;
    for (std::size_t at = (hole + 1) & mask; slots_[at] != kNone; at = (at + 1) & mask) {
      const std::size_t home = slot_of(entries_[slots_[at]].task);
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = kNone;
  }

  const Keeps keeps_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(1024, kNone);  // indices of entries; a power of two
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_entries_;
  std::vector<Link> links_;
  std::vector<std::uint32_t> free_links_;
  std::deque<Ended> recent_;  // that have run, oldest first
  std::size_t used_ = 0;
  std::uint32_t numbers_ = 0;
  std::uint64_t pass_ = 0;
};

}  // namespace weir::tool::convert
