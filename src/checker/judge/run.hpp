// SPDX-License-Identifier: Apache-2.0

// Run: a task that runs: what its footprint lets it do, byte by byte, and what it has done.
//
// Belongs to the thread that runs the task; of other threads only handlers read it, under the gate. All its memory is
// the checker's own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory_resource>
#include <unordered_map>
#include <vector>

#include "checker/judge/order.hpp"
#include "checker/memory/extent.hpp"
#include "checker/memory/watch.hpp"

namespace weir::checker {

// Where tasks were spawned; one for all from the same place.
struct Site {
  // So many accesses to pages that a task has for itself are judged one by one, of all tasks from here.
  static constexpr std::uint64_t kExactAccesses = 20000;
  static constexpr int kMostGrants = 5;
  static constexpr std::uint64_t kSampledAccesses = 2000, kOneIn = 8;  // so many of one in so many tasks after these

  Frames frames;
  std::uint64_t number = 0;
  std::uint64_t accesses = 0;  // judged, by tasks that have ended
  std::uint64_t exact = kExactAccesses;
  std::uint64_t tasks = 0;
  int grants = 0;

  // How many accesses of a task that begins are judged one by one.
  std::uint64_t exact_of_next() noexcept {
    const std::uint64_t left = exact > accesses ? exact - accesses : 0;
    return tasks++ % kOneIn == 0 ? std::max(left, kSampledAccesses) : left;
  }
  // One of its tasks may have touched, unseen, what another does without an order: the next are looked at more closely.
  void grant() noexcept {
    if (grants == kMostGrants || exact > accesses) return;
    ++grants;
    exact = accesses + kExactAccesses;
  }
};
struct TaskInfo {
  Site* site = nullptr;
  char name[kNameBytes] = {};
  std::uintptr_t function = 0;
  bool ocr = false;
};

// What was touched of a page since it was last taken.
struct Touches {
  explicit Touches(std::pmr::memory_resource* memory) : list(memory) {}
  Bits read, written;
  std::pmr::vector<Touch> list;
  void clear() noexcept {
    list.clear();
    read = written = {};
  }
};

// A page that the task has touched.
struct RunPage {
  explicit RunPage(std::pmr::memory_resource* memory) : touches(memory) {}
  Bits readable, writable;  // by the footprint
  Bits fresh;               // of items with mode out: to be written before they are read
  std::uint32_t steps = 0;
  bool wrong = false;           // something in it was
  bool left_to_itself = false;  // opened: what else the task does there is not seen
  Touches touches;
};

struct ThreadState;

struct Run {
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};  // `exact`: every access
  // `shared`: guarded by the gate.
  Run(const TaskInfo* info, std::pmr::memory_resource* memory, std::pmr::memory_resource* shared)
      : task(info), items(memory), pages(memory), beside(shared) {}

  const TaskInfo* task;
  TaskRecord* record = nullptr;
  ThreadState* thread = nullptr;  // that runs it
  Segment* segment = nullptr;
  Segment* end = nullptr;
  Run* outer = nullptr;             // the task beneath it on the same thread
  std::uintptr_t stack = 0;         // what is below is its own
  std::uintptr_t runner = 0;        // the function that calls the task's: frames from there on are not its own
  int pauses = 0;                   // of the thread when it began
  const void* own_scope = nullptr;  // of its children; null: none yet
  bool restricted = true;           // false: it has declared nothing, and is only watched
  std::uint64_t accesses = 0;       // judged up to now
  std::uint64_t exact = 0;          // of these, how many one by one
  int forks = 0;                    // of fork_join() that it is in
  std::uint64_t parts = 0;          // of fork_join() that it has had
  bool is_program = false;          // no task: a fork_join() outside of tasks
  bool in_part = false;             // some of what it touches was not judged
  std::pmr::vector<Item> items;
  std::pmr::unordered_map<std::uintptr_t, RunPage> pages;
  std::pmr::unordered_map<std::uintptr_t, Touches> beside;  // by other threads; guarded by the gate
  std::atomic<bool> has_beside{false};                      // since it was last taken

  // Items change, and pages come and go, by the task's thread and under the gate: what is read by one of them may be.
  RunPage& page(std::uintptr_t address, std::pmr::memory_resource* memory);
};

// What of an access a footprint does not allow, [start, end) of one page; nothing when it is right.
struct Breach {
  bool found = false;
  FindingKind kind = FindingKind::undeclared;
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  const Item* item = nullptr;  // wrong_mode, read_first: the item
};

// Judges an access of the run to bytes [start, end) of one page, and notes it.
Breach judge(Run& run, RunPage& rights, const Page& page, std::uintptr_t address, const Bits& bytes, bool writes,
             const Frames* at);

// Another thread has touched those bytes, and may have touched others of the page unseen, while it was open to the
// task: it counts as touched and written. `for_task`: what the task may do there is done for it.
void note_beside(Run& run, const Page& page, std::uintptr_t address, const Bits& bytes, bool writes, bool for_task,
                 const Frames* at);
// What others have touched is the task's own from here on. By the task's thread, and under the gate.
void take_beside(Run& run, std::pmr::memory_resource* memory);
// The task has ended. Under the gate.
void forget_beside(Run& run);

// How far the page can be left open to the task, now that it has touched it.
PageState may_open(const Run& run, RunPage& rights, const Page& page);

// The task may go on in the page unseen: all it may do there counts as done.
void leave_open(Run& run, RunPage& rights, const Page& page, std::uintptr_t address, PageState state, const Frames* at);

}  // namespace weir::checker
