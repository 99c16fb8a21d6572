// SPDX-License-Identifier: Apache-2.0

// Program: what a traced program does, without the machine that it did it on: what each task and each thread computes,
// spawns and waits for, in its order, and which memory tasks use.
//
// Made once by read_program() (read_program.hpp) or by a test, and never changed by a simulation: several may run it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "data/engine/block.hpp"
#include "sim/page_times.hpp"
#include "weir/footprint.hpp"

namespace weir::sim {

enum class Act : std::uint8_t {
  compute,        // its own code, for `ns`
  spawn,          // task `subject`; finding its edges takes `ns`
  satisfy,        // a slot of the EDT `subject`, with `block`
  wait_children,  // for all tasks that it has spawned
  wait_task,      // for task `subject`
  wait_all,       // for all tasks of the program
  release,        // of an EDT: it has returned and uses its blocks no more, and satisfies its output event next
  make,           // block `subject`
  destroy,        // block `subject`
  start_thread,   // Program::threads[subject] begins here
};

struct Action {
  static constexpr std::uint32_t kNoBlock = ~std::uint32_t{0};

  Act act = Act::compute;
  std::uint32_t subject = 0;
  std::uint64_t ns = 0;
  std::uint32_t block = kNoBlock;
};

// Indices of Program's vectors: [first, first + count).
struct Span {
  std::uint32_t first = 0, count = 0;
};

// An item of a footprint.
struct Item {
  Mode mode = Mode::in;
  bool ordered = false;
  bool is_block = false;
  bool by_slot = false;       // of an EDT: some action satisfies a slot with it; else it was there from the start
  std::uint32_t block = 0;    // index
  Region region;              // of what is no block; an address of the traced process, which nobody follows
  std::uint64_t watched = 0;  // number of the watched array that it lies in; 0: none

  std::uint64_t bytes(const std::vector<struct ProgramBlock>& blocks) const;
  // A block that the data layer brings to where the task is.
  bool is_tiered(const std::vector<struct ProgramBlock>& blocks) const;
};

struct ProgramBlock {
  std::string name;
  std::uint64_t bytes = 0;
  bool adopted = false;     // memory of the program's own
  bool made_late = false;   // by a task, at a moment that the trace does not say: made where it is named first
  bool gone = false;        // destroyed by the program; else with the runtime
  bool in_no_tier = false;  // a small one of OCR, which stays where it was made: the data layer does not know it
  data::engine::PlacementHint hint{};  // what its maker asked for
};

struct ProgramTask {
  std::uint64_t id = 0;
  std::uint32_t name = 0;  // index; 0: it has none
  int domain = -1;         // that it is to run in; -1: any
  Span actions, items, after;
  std::uint64_t own_ns = 0;   // of its own code
  float beside = 0;           // other workers that ran tasks while it ran, on average
  float busy_beside = 0;      // other threads that did, or that were in the program's code outside of tasks
  float copied_beside = 0;    // bytes that threads without tasks copied between memories meanwhile
  std::uint64_t late_ns = 0;  // after its function until what it had begun elsewhere was completed
  std::uint32_t slots = 0;    // satisfied by other EDTs
  bool cancelled = false;
};

// A thread of the program that spawns or waits outside of tasks. The first one made the runtime; another one is a guest
// of it from its first interval to its last.
struct ProgramThread {
  int worker = 0;
  Span actions;
  bool is_started = false;  // by an action of the first; else it begins with it
};

// What the traced run did.
struct RealRun {
  std::uint64_t makespan_ns = 0;
  int workers = 1;
  std::string machine;
  unsigned cores = 0;                  // of that; 0: not known, since the program was told to take it for another one
  std::vector<std::string> tiers;      // names
  std::vector<std::uint64_t> budgets;  // bytes, of each of them
  std::vector<std::vector<std::uint64_t>> moved;              // bytes [from][to]; the last: the program's memory
  std::vector<std::vector<std::uint64_t>> moving_ns;          // [from][to]: how long some copy was under way
  std::vector<PageTimes> page_times;                          // [tier]
  std::vector<std::pair<std::string, std::string>> settings;  // options of its runtime
  const std::string* setting(const std::string& name) const;  // null: not in the trace
};

struct Program {
  std::vector<ProgramTask> tasks;
  std::vector<Action> actions;
  std::vector<Item> items;
  std::vector<std::uint32_t> after;  // tasks
  std::vector<ProgramBlock> blocks;
  std::vector<Partition> watched;  // by number; those that items lie in
  std::vector<std::string> names{""};
  std::vector<ProgramThread> threads;
  bool edts = false;              // of OCR: slots order them, and nobody waits for children
  std::uint64_t dispatch_ns = 0;  // what a worker takes between two tasks, on average
  float busy_beside = 0;          // as a task's, of the code outside of tasks
  RealRun real;

  const Partition* watched_array(std::uint64_t number) const;
};

}  // namespace weir::sim
