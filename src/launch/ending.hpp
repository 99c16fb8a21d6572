// SPDX-License-Identifier: Apache-2.0

// Which rank has ended a job, and how that is told: a rule, from how ranks have ended. Pure; any thread.
#pragma once

#include <sys/types.h>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "platform/process.hpp"

namespace weir::launch {

struct RankEnd {
  bool has_ended = false;
  std::uint32_t order = 0;  // of the ends, in which they were seen; the same for those that were seen at once
  platform::ProcessEnd end = {};
  bool has_joined = false, has_left = false;  // control.hpp
  bool seeks = false;                         // it looks for the others, and has not found them all
  bool is_sought = false;                     // by one that runs
  bool others_have_left = false;              // others run, and all of them have left
  std::optional<std::uint32_t> lost = {};     // it has ended because that rank had

  // The job ends with it. Not while others run to their own ends that have all left the job, as it had.
  bool is_failure() const noexcept {
    const bool is_alone = has_left && others_have_left;
    return has_ended && ((!end.well() && !is_alone) || (has_joined && !has_left) || is_sought);
  }
};

// The rank that has failed first, and not because another had. Of ends that were seen at once that by a signal: the
// other may have come of it, more often than the other way round. While `may_still_come`, not one that names a rank
// which runs still: its end is to be seen soon; and not one that has left: the others are about to do so, too.
std::optional<std::uint32_t> first_failure(std::span<const RankEnd> ranks, bool may_still_come);

// The exit status of a job that such an end has ended; never 0.
int status_of(const RankEnd& failed) noexcept;

struct Named {
  std::uint32_t rank = 0;
  pid_t pid = 0;
  std::string host;
};
// "rank 3 (process 4711 on node7) was ended by SIGSEGV (Segmentation fault)". With its last words, where it had any,
// and that `others` ranks are ended with it.
std::string describe(const Named& rank, const RankEnd& failed, const std::string& last_words, std::size_t others);

}  // namespace weir::launch
