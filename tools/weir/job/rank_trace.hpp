// SPDX-License-Identifier: Apache-2.0

// The traces of the ranks of a job as one: rows of all ranks, tasks of all ranks numbered one behind the other, times
// of one clock; and what went from rank to rank, with the tasks at both ends.
//
// A task that comes after one that received something comes after the one that has sent it, too: so the critical path
// goes across ranks. While a task waits for nothing else than what another rank sends, there is a data wait.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "job_files.hpp"
#include "report/trace.hpp"

namespace weir::tool::job {

// One message, as far as its ends are known. Tasks by their numbers in the joined trace, 0: not known, or none.
struct Crossing {
  trace::RankMessage what = trace::RankMessage::tile;
  int from = 0, to = 0;  // ranks
  std::uint64_t bytes = 0;
  std::string block;         // its name, or what it is
  bool is_sent = false;      // the sender's trace has it
  bool is_received = false;  // the receiver's has it
  report::Ns sent = 0;
  report::Ns wanted = 0, came = 0;
  std::uint32_t sender = 0;    // the task that has sent it
  std::uint32_t maker = 0;     // what came last before that: it has made what was sent
  std::uint32_t receiver = 0;  // the task that has wanted it
  std::uint32_t reader = 0;    // of those that come after it, the one that has waited longest
  report::Ns reader_waited = 0;
  std::uint32_t first = 0;  // of those that come after it, the one that has begun first
  report::Ns waited = 0;    // by all that come after it

  // The task that sends it has made it, and the one that receives it has wanted it for itself.
  bool is_of_ocr() const noexcept { return what != trace::RankMessage::tile && what != trace::RankMessage::part; }
};

struct RankTrace {
  report::Trace trace;
  std::vector<std::pair<report::Ns, report::Ns>> lives;  // of the ranks, in the order of the files
  std::vector<Crossing> crossings;                       // in the order of the files
};

// bad_input, io_error. In memory: all tasks of all ranks.
base::Result<RankTrace> rank_trace(const JobFiles& job);

}  // namespace weir::tool::job
