// SPDX-License-Identifier: Apache-2.0

// The traces of a job, of PEs of a SHMEM program or of ranks: one file for each, found by the name that the job was
// given, or named one by one.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "trace/reader.hpp"

namespace weir::tool::job {

struct PeFile {
  std::string path;
  trace::TraceReader reader;
  std::vector<std::size_t> starts;  // which of the reader's runtimes are the PE's, or the rank's: one for each start
  std::size_t runtime = 0;          // the one that is shown
  bool is_rank = false;             // not of a SHMEM program
  int pe = 0, pes = 0;              // or ranks
  std::string host, id;
  std::int64_t clock_offset_ns = 0;
  bool is_part = false;  // it ends early

  const trace::RuntimeInfo& info() const noexcept { return reader.runtimes()[runtime]; }
  const char* word() const noexcept { return is_rank ? "rank" : "PE"; }
  // Where its times begin, by the clock that all have in common.
  std::int64_t origin_ns() const noexcept {
    return static_cast<std::int64_t>(reader.runtimes().front().opened.ns) + clock_offset_ns;
  }
  // When it began to be the program's and when it ended, by the clock that all have in common; of a PE that was killed
  // to the last time that its file has.
  std::pair<std::int64_t, std::int64_t> life() const;
};

// Times of a PE, of the clock that all have in common.
class JobClock {
 public:
  explicit JobClock(const PeFile& file) : scale_(file.reader.scale(file.info())), origin_(file.origin_ns()) {}
  std::int64_t ns(std::uint64_t ticks) const noexcept { return origin_ + static_cast<std::int64_t>(scale_.ns(ticks)); }

 private:
  trace::TimeScale scale_;
  std::int64_t origin_;
};

struct JobFiles {
  std::string name;           // as it was asked for
  std::vector<PeFile> files;  // by PE
  int pes = 0;
  std::vector<std::string> remarks;  // files that are missing, of another run, or end early

  std::vector<int> missing() const;
  bool is_of_ranks() const noexcept { return !files.empty() && files.front().is_rank; }
  std::string hosts_text() const;  // "2 hosts"
};

// Whether these names are of a job: several files, a name of which there are only numbered ones ("t.weir", where there
// is t.0.weir), or a file of a PE or a rank.
bool is_job(const std::vector<std::string>& names);
// The files that these names stand for: of a name of which there are only numbered ones, those.
std::vector<std::string> trace_names(const std::vector<std::string>& names);
// `start`: which of the Ranks that its processes have made one after the other, or of the starts of SHMEM, from 1; 0:
// the one with most events. not_found, bad_input, io_error; bad_input also for a file that is of neither, for two of
// one, and for a start that there is none of.
base::Result<JobFiles> open_job(const std::vector<std::string>& names, int start = 0);
// All starts of a SHMEM program of which a name without number is given, which have files each; of another job one. The
// same errors.
base::Result<std::vector<JobFiles>> open_starts(const std::vector<std::string>& names);

}  // namespace weir::tool::job
