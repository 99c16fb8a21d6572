// SPDX-License-Identifier: Apache-2.0

// Where each worker's time went: the parts add up to the runtime's life, of a guest or a spare to the time that it was
// there (Trace::presence()).
//
// Pure: from a Trace to numbers. Waiting for data, for work, and idle: without_work.hpp.
#pragma once

#include <string>
#include <vector>

#include "trace.hpp"

namespace weir::tool::report {

struct TimeParts {
  std::string worker;
  int domain = -1;
  std::uint32_t process = 0;  // of the trace
  bool is_guest = false;      // a thread of the program's that is no worker
  bool left_early = false;    // a worker process that has died, or whose master could not go on
  double running = 0;         // ns: callables of tasks
  double program = 0;         // the thread's own code outside of tasks
  double analysing = 0;
  double scheduling = 0;  // between two tasks
  double moving = 0;      // brought blocks itself
  double waiting_for_data = 0;
  double waiting_for_room = 0;    // of that
  double waiting_for_others = 0;  // a ready task waited for what they held
  double waiting_for_ranks = 0;   // for what another rank sends
  double waiting_for_work = 0;
  double idle = 0;
  double slept = 0;  // of the last five
  std::uint64_t tasks = 0;

  double sum() const {
    return running + program + analysing + scheduling + moving + waiting_for_data + waiting_for_others +
           waiting_for_ranks + waiting_for_work + idle;
  }
};

// One entry for each worker, and for each guest and spare that did something.
std::vector<TimeParts> time_parts(const Trace& trace);

// For each task the time of its own code: its interval less what ran within it. By number.
std::vector<Ns> own_times(const Trace& trace);

}  // namespace weir::tool::report
