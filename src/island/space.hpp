// SPDX-License-Identifier: Apache-2.0

// Space: the memory of islands as their master lays it out, and how its workers come to it.
//
// At its start the head, for programs that attach, then a mailbox for each worker, then the heap. The master's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "island/heap.hpp"
#include "island/memory.hpp"
#include "island/message.hpp"
#include "island/presence.hpp"
#include "island/process.hpp"
#include "island/room.hpp"
#include "island/segment.hpp"
#include "weir/options.hpp"

namespace weir::island {

class Space {
 public:
  // For so many workers, the last `attached` of them programs that attach; `shares`: they ask each other for tasks.
  // Throws weir::Error.
  Space(const Options& options, int workers, int attached, bool shares);

  SharedMemory& memory() noexcept { return *memory_; }
  Heap& heap() noexcept { return *heap_; }
  // Of the heap. Throws weir::Error when there is no such piece, or no memory for its pages, with what there is.
  Heap::Piece allocate(std::size_t bytes, std::size_t alignment = 1);
  const Segment& segment() const noexcept { return segment_; }
  // Of worker 1 and so on.
  Mailbox& mailbox(int worker) const noexcept;

  // Throw weir::Error: no more processes; nobody has attached in time.
  Process fork_worker(int worker, std::optional<int> os_cpu);
  Process wait_for_worker(int worker);
  // All have attached: nobody finds the memory any more, and whoever holds it may know.
  void close() noexcept;
  // What lies on other nodes than it is to, for people; "": nothing. After the tasks.
  std::string spilled() const;

 private:
  void map(std::size_t bytes);
  // Nobody else is master of what was mapped.
  void claim();
  void post_head();

  const Options& options_;
  const int workers_, attached_;
  const bool shares_;
  const Segment segment_;  // of no size: how the memory is spread
  std::unique_ptr<SharedMemory> memory_;
  std::optional<Presence> presence_;  // of memory that has, or had, a name
  std::optional<Heap> heap_;
  std::optional<Room> room_;
};

}  // namespace weir::island
