// SPDX-License-Identifier: Apache-2.0

// What the traces of a job's PEs say together: who moved how many bytes where, where the time went, who waited for
// whom.
//
// Events are read twice and not kept, but for waits and for what was put where somebody waited. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "job_files.hpp"
#include "trace/pe_events.hpp"

namespace weir::tool::job {

struct Traffic {
  std::uint64_t puts = 0, put_bytes = 0, gets = 0, get_bytes = 0, atomics = 0, atomic_bytes = 0;
  std::uint64_t bytes() const noexcept { return put_bytes + get_bytes + atomic_bytes; }
};

// Kinds of calls, in the order of trace::Kind from put on.
inline constexpr std::array<const char*, 7> kParts = {"puts",  "gets",        "atomics", "wait_until",
                                                      "locks", "collectives", "order"};

struct PeTimes {
  int pe = 0;
  std::string host;
  int threads = 0;                         // that called
  double life_ns = 0;                      // of all its threads together
  std::array<double, kParts.size()> in{};  // in calls of each kind
  std::array<std::uint64_t, kParts.size()> calls{};
  double computing_ns() const noexcept;       // the rest: in no call
  std::uint64_t meetings = 0, came_last = 0;  // collectives, and those to which all others had come before
  double others_waited_ns = 0;                // for it, in those
};

struct Waits {
  std::uint64_t times = 0;
  double ns = 0;
};

struct Meetings {
  std::uint64_t number = 0, bytes = 0;  // collectives of this kind that a PE took part in, bytes of its own
  double waited_ns = 0;                 // for who came last, all PEs together
};

struct JobReport {
  int pes = 0;
  double wall_ns = 0;  // from the first PE's start to the last one's end
  std::vector<PeTimes> times;
  std::map<std::pair<int, int>, Traffic> traffic;       // who called, whose memory
  std::map<std::pair<int, int>, Waits> waits_for_last;  // in collectives: who waited, for whom
  std::map<std::pair<int, int>, Waits> waits_until;     // who waited, whose put ended it; -1: not known
  std::map<trace::PeMeet, Meetings> meetings;
};

// bad_input, io_error.
base::Result<JobReport> report_job(const JobFiles& job);

std::string name_of(trace::PeMeet what);

}  // namespace weir::tool::job
