// SPDX-License-Identifier: Apache-2.0

// Situation: what a program has left to do at one moment, and what each part of it waits for.
//
// Whoever owns tasks fills one in (a runtime, OCR); findings.hpp says what follows from it, render.hpp prints it. Plain
// data. Names and texts are copies: nothing in it refers to the program any more, but for addresses of code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir::explain {

using Index = std::uint32_t;  // into Situation::things
inline constexpr Index kNobody = ~Index{0};

enum class Kind : std::uint8_t { task, own, thread, edt, event };

enum class State : std::uint8_t {
  waiting,
  ready,     // nothing is missing but a worker
  running,   // the program's code, on `worker`
  inactive,  // it does nothing by itself: an event
};

// Something that waits, or that others wait for.
struct Thing {
  Kind kind = Kind::task;
  State state = State::waiting;
  int worker = -1;                  // that runs it; of a thread: which it is
  std::uint64_t id = 0;             // as in a trace, or a GUID
  std::string name;                 // "" when the program gave none
  const void* site = nullptr;       // where it was spawned
  double seconds = 0;               // running: for so long at least
  std::string asleep;               // running: what its thread sleeps in, "read()"; "" when it computes
  const char* waits_else_for = "";  // when no other comes before it; a literal; empty: for a worker
  std::string detail;               // more of it, for people: "STICKY event, created in f"
};

enum class Cause : std::uint8_t {
  edge,      // comes after it; nobody: after one that was not looked at, or it is ready
  children,  // its children have to end first
  task,      // wait() or get() of a handle
  half,      // the other half of a fork_join()
  room,      // room in a tier, that others hold
  transfer,  // a block that is on its way
  lock,      // commutative data, that another has
  above,     // its worker runs another task on top of it, which must return first
  throttle,  // has too many unfinished children
  event,     // a slot that an event satisfies
  source,    // an event that another one, or an EDT, would satisfy
  block,     // a data block that others hold
  label,     // what is under a label, which has to go before another is made
  rank,      // what another rank does, which says there what it waits for
  nothing,   // something that nobody will ever do
};
inline constexpr int kCauses = static_cast<int>(Cause::nothing) + 1;

// The data that one task waits another for: what both name in their footprints.
struct Data {
  bool is_block = false;
  std::string block;                            // its name; may be empty
  std::uint64_t address = 0;                    // of other memory
  std::uint64_t row_bytes = 0, rows = 1;        // of a block: row_bytes alone
  std::uint64_t array = 0;                      // of the watched array that it is a section of; 0: none
  std::uint64_t array_row = 0, array_byte = 0;  // where it begins there
  const char* mode = "";                        // of who waits; a literal
  const char* mode_of_other = "";
  int item = 0, item_of_other = 0;  // in their footprints, from 1; 0: that one is Weir's own, and has none
  int more = 0;                     // further items of who waits
  bool only_a_block = false;        // the two share no byte, but a block of the array
};

// `who` waits. With several Waits it waits for all of them.
struct Wait {
  Index who = 0;
  Cause cause = Cause::edge;
  Index on = kNobody;
  bool one_of = false;    // any one of its Waits of that cause is enough
  std::string what;       // "2097152 bytes in tier hbm for block 'a'"; may be empty
  Index data = kNobody;   // edge, lock: into Situation::data
  bool by_after = false;  // edge: no data, but after()
};

// What a worker does.
struct WorkerState {
  int index = 0;
  std::string doing;
};

struct Situation {
  std::string title;  // "runtime 1, 2 workers"
  std::vector<Thing> things;
  std::vector<Wait> waits;
  std::vector<Data> data;
  std::vector<WorkerState> workers;
  std::vector<std::string> notes;  // more for people: blocks left, what was left out
  std::uint64_t left_out = 0;      // tasks beyond the most that are looked at
  double quiet_seconds = 0;        // how long nothing has been run
  bool nothing_runs = false;
};

// How far a program is.
struct TierUse {
  std::string name;
  std::uint64_t used = 0, budget = 0;  // bytes
};
struct Advance {
  std::uint64_t done = 0, known = 0;  // tasks; known is a little late
  std::vector<TierUse> tiers;
};

}  // namespace weir::explain
