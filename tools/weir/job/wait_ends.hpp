// SPDX-License-Identifier: Apache-2.0

// WaitEnds: by whose put, signal or atomic a wait was ended: the last one to a word that was waited for, before the
// wait ended. Pure.
//
// First all waits are added, then all puts. A put of more than a word counts for its first and its last word.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "job_files.hpp"
#include "trace/event.hpp"
#include "trace/pe_events.hpp"

namespace weir::tool::job {

// A call of a PE, as far as it is needed to find it again.
struct CallAt {
  int pe = -1;  // -1: not known
  std::uint32_t track = 0;
  std::int64_t start = 0, end = 0;
  std::uint32_t number = 0;  // of the call, where calls have numbers
};

class WaitEnds {
 public:
  struct Wait {
    CallAt call;
    trace::PePlace place;
    std::uint64_t bytes = 0;  // of all words
  };

  void add_wait(const Wait& wait);
  // `event`: of kind put or atomic.
  void add_put(const trace::Event& event, const CallAt& call);
  // Calls `take` for each wait with the call that ended it; of PE -1: none is known.
  void find_ends(const std::function<void(const Wait&, const CallAt& by)>& take);

 private:
  void add_to(trace::PePlace place, std::uint64_t offset, const CallAt& put);

  std::vector<Wait> waits_;
  std::unordered_map<std::uint64_t, std::vector<CallAt>> words_;  // that are waited for, by their packed place
};

// Reads the files twice, and then calls `take` as find_ends() does, for waits whose end is known. bad_input, io_error.
base::Status for_each_end(const JobFiles& job,
                          const std::function<void(const WaitEnds::Wait&, const CallAt& by)>& take);

}  // namespace weir::tool::job
