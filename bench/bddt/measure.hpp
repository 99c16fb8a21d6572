// SPDX-License-Identifier: Apache-2.0

// Runs the programs, interleaved, and gathers a row for each (program, size, runtime, number of workers).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "bench/bddt/plan.hpp"
#include "bench/report/progress.hpp"

namespace weir::bench {

// What a worker did, in shares of the run's time. The rest it was idle, or busy with the runtime.
struct BddtWorker {
  double application = 0;
  double flush = 0;
};

// Where the processors' time went, in seconds of all workers and, where it is none of them, the master.
struct BddtParts {
  double application = 0;
  double flush = 0;     // making memory fresh, writing it back
  double analysis = 0;  // of the master: making tasks and, on islands, all else that it did for them
  double idle = 0;      // the rest: waiting, and what the runtime does elsewhere
  double sum() const { return application + flush + analysis + idle; }
};

struct BddtRow {
  std::string program, size, runtime;
  int workers = 1;
  std::size_t tasks = 0;
  std::vector<double> seconds;  // one for each process: its median
  double speedup = 0;           // over serial; 0: unknown
  BddtParts parts;              // of a run of its own, in which every task looks at the clock
  std::vector<BddtWorker> balance;
  std::string error;  // what failed; the row then has no value

  bool has_value() const { return error.empty() && !seconds.empty(); }
  double median() const;
};

// Adds the times, or the parts, of what one process printed. bad_input when it is not what apps/bddt prints.
base::Status add_bddt_times(BddtRow& row, const std::string& output);
base::Status add_bddt_parts(BddtRow& row, const std::string& output, bool master_beside);

// Sets the speedup of all rows for which there is a serial one.
void compare_with_serial(std::vector<BddtRow>& rows);

const BddtRow* find_row(const std::vector<BddtRow>& rows, const std::string& program, const std::string& size,
                        const std::string& runtime, int workers);

// Measures everything, in rounds; in a round the runtimes take turns at each program. Serial has one worker only.
std::vector<BddtRow> measure_bddt(const BddtPlan& plan, const OnProgress& progress);

}  // namespace weir::bench
