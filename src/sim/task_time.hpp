// SPDX-License-Identifier: Apache-2.0

// TaskTime: how much longer or shorter a task computes on the target than it did where it was traced.
//
// Its time was measured on the source; what it takes there to read and write its footprint once scales with memory.
// One thread.
#pragma once

#include "sim/blocks.hpp"
#include "sim/cores.hpp"
#include "sim/program.hpp"
#include "sim/target.hpp"
#include "sim/task_graph.hpp"

namespace weir::sim {

class TaskTime {
 public:
  TaskTime(const Program& program, const Target& target, const Target& source, const Blocks& blocks)
      : program_(program), target_(target), source_(source), blocks_(blocks) {}

  // `domain`: where it runs; `others`: how many tasks run there besides at a time.
  double factor_of(const Node& node, DomainId domain, unsigned others) const;
  // What a thread had of a core where it was traced, with so many others that had something to run.
  double traced_share(float busy_beside) const { return core_share(source_.cores, 1 + double{busy_beside}); }
  // Of tasks that run in a domain, `others` and one more: how many others are on cores at a time, when `busy` threads
  // have something to run.
  unsigned others_at_once(unsigned others, unsigned busy) const;

 private:
  // For how long threads that copied blocks had the task's core where it was traced, in which there was none left.
  double taken_ns(const ProgramTask& of) const;
  // What that took where the program was traced, with the others that ran there meanwhile.
  double traced_memory_ns(const Node& node) const;
  // What its footprint takes to read and write once. `placed`: its blocks are where the engine has them; else in the
  // first tier.
  double memory_ns(const Target& on, const Node& node, DomainId domain, unsigned others, bool placed) const;

  const Program& program_;
  const Target& target_;
  const Target& source_;
  const Blocks& blocks_;
};

}  // namespace weir::sim
