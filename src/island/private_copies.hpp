// SPDX-License-Identifier: Apache-2.0

// Private copies: what tasks with `concurrent` and `reduce` items work on, so that no line has two writers.
//
// Such tasks run at the same time on the same memory. Each gets, for each such item, a copy in lines of its own: for
// `concurrent` of what the memory holds when the task is given away, for `reduce` the identity. When the task has ended
// the master, which alone writes the memory meanwhile, merges the copy: of `concurrent` the bytes that the task
// changed, of `reduce` by the operation. The graph orders neither kind among itself, but each after the other. Of a
// task that another one has made, the memory may be the private copy of that one.
//
// The master's thread, under its lock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "island/graph.hpp"
#include "island/memory.hpp"
#include "island/private_copy.hpp"
#include "island/space.hpp"

namespace weir::island {

class PrivateCopies {
 public:
  explicit PrivateCopies(SharedMemory& memory) noexcept : memory_(memory) {}

  // The copy for an item that needs one, nothing in it yet. `piece`: for bytes_of() its region.
  static PrivateCopy make(const Access& item, OwnedPiece piece);
  // One for each item that needs one, in their order; null: none. Throws weir::Error when the heap is used up.
  static std::unique_ptr<std::vector<PrivateCopy>> make(std::span<const Access> footprint, Space& space);
  // What the task is to work on: the footprint, with the copies that make() has made where it needs them.
  static std::vector<Access> with_copies(std::span<const Access> footprint, const std::vector<PrivateCopy>& copies);

  // The task has been submitted, in the order of spawning.
  void enter(TaskNode& task);
  // Before the task is given to a worker: its copies are filled and in memory.
  void fill(TaskNode& task);
  // The task has ended well: its copies are merged. What is wrong with that, "" for nothing: two that ran at the same
  // time changed one byte to different values.
  std::string merge(TaskNode& task);
  // False: a task before it in an ordered reduction has not been released; leave() of that one tells when.
  bool is_next(const TaskNode& task) const;
  // The task is about to be released: its copies are given back. Those whose turn it may be now.
  std::vector<TaskNode*> leave(TaskNode& task);

 private:
  // Among the tasks of one parent: those of the program that reduce the same object wait for the parent, and were
  // perhaps spawned before its children.
  struct Place {
    const TaskNode* parent;  // null: the program made the task
    const void* target;
    std::uint64_t id;  // of the task
    bool is_beside(const Place& o) const noexcept { return parent == o.parent && target == o.target; }
    bool operator<(const Place& o) const noexcept {
      if (parent != o.parent) return std::less<>()(parent, o.parent);
      return target != o.target ? std::less<>()(target, o.target) : id < o.id;
    }
  };
  static Place first_of(const TaskNode& task, const PrivateCopy& copy) noexcept;
  static Region region_of(const PrivateCopy& copy) noexcept;
  std::string merge_changes(const PrivateCopy& copy);

  SharedMemory& memory_;
  std::map<Place, TaskNode*> ordered_;  // unreleased tasks of ordered reductions
};

}  // namespace weir::island
