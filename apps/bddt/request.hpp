// SPDX-License-Identifier: Apache-2.0

// What a runner is asked on its command line, and what it prints: one line of JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/bddt/sizes.hpp"
#include "apps/bddt/tasking.hpp"

namespace weir::apps::bddt {

struct Request {
  std::string program;
  Size size;
  int workers = 1;
  int repeat = 1;
  bool shares = false;  // take the time of every task
  bool about = false;   // only say what the runtime is
};

// Of one run. Seconds of the wall clock.
struct Run {
  double seconds = 0;
  double analysis = 0;        // of the master: making tasks and, where the runtime tells, releasing them
  std::vector<Share> shares;  // one for each worker; empty: neither was asked for
};

struct Report {
  std::string about;
  std::size_t tasks = 0;
  std::vector<Run> runs;
  std::string wrong;  // what is wrong with a result
};

// One, or five for "all". Ends the process with exit code 2 and a line that says what is wrong with the arguments, or
// after --help.
std::vector<Request> requests_of(int argc, char** argv);
std::string text_of(const Report& report);

}  // namespace weir::apps::bddt
