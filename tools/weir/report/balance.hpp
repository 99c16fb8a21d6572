// SPDX-License-Identifier: Apache-2.0

// What there was to run while workers had nothing to run: whether tasks were ready elsewhere, and else what the others
// were busy with. Pure.
#pragma once

#include <string>
#include <vector>

#include "time_parts.hpp"
#include "trace.hpp"

namespace weir::tool::report {

// A domain with its workers, or a worker where there is one domain only.
struct Side {
  std::string name;    // "domain 1", "worker 1"
  double waiting = 0;  // for work: share of its workers' time
  double work = 0;     // share of the code of all tasks that ran there
  double placed = 0;   // of that: of tasks that were to run in this domain
  int domain = -1;
};

struct Balance {
  bool by_domain = false;
  Side idlest, busiest;
  // Of the time that the idlest side waited for work:
  double ready = 0;            // share of it in which tasks were ready that nobody ran
  std::string meanwhile;       // while none was: name of the tasks that ran most, empty: none did
  double meanwhile_share = 0;  // of what ran then
  double meanwhile_each = 0;   // ns of its own code that one of them takes
};

// `workers`: time_parts(trace). At least one worker.
Balance balance(const Trace& trace, const std::vector<TimeParts>& workers);

}  // namespace weir::tool::report
