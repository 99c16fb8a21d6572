// SPDX-License-Identifier: Apache-2.0

// What `weir bench prk` measures: kernels, ways to make them parallel, stores and memory nodes. Pure, but for
// find_prk_contenders(), which looks for executables.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "machine/machine.hpp"

namespace weir::bench {

struct PrkBench {
  std::string name;    // "stencil-64": of the table
  std::string kernel;  // of the runner
  long size = 0, quick_size = 0;
  int tile = 64;
  int iterations = 1;        // that are timed
  bool non_temporal = true;  // has such stores
};
const std::vector<PrkBench>& prk_benches();

// One way of one runtime.
struct PrkContender {
  std::string runtime, way;
  std::string path;  // of its runner; "" where there is none

  std::string name() const { return runtime + " " + way; }
  // Without a barrier between iterations, so that data may stay in caches from one to the next.
  bool flows() const { return way == "flow"; }
};
// All there could be, Weir first; tasks are those of a runtime that makes one for each tile or grain.
const std::vector<PrkContender>& prk_contenders();
// Those whose runner is beside this program.
std::vector<PrkContender> find_prk_contenders();

struct PrkMemory {
  std::string name;  // "": each thread's own
  int os_node = -1;
};

struct PrkRequest {
  std::string kernels, runtimes, stores, memory;  // lists with commas; "": all, all, both, each thread's own
  std::vector<int> workers;                       // empty: one number, as many as cores
  bool quick = false;
  int rounds = 5;
  double timeout_s = 120;
};

struct PrkPlan {
  std::vector<PrkBench> benches;
  std::vector<PrkContender> contenders;
  std::vector<std::string> stores;  // "temporal", "non-temporal"
  std::vector<PrkMemory> memories;
  std::vector<int> workers;
  bool quick = false;
  int rounds = 5;
  double timeout_s = 120;
};

// bad_option names the wrong word and what there is; not_found when a runtime that is named has no runner here.
base::Result<PrkPlan> plan_prk(const PrkRequest& request, const machine::Machine& machine,
                               const std::vector<PrkContender>& found);

}  // namespace weir::bench
