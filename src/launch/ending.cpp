// SPDX-License-Identifier: Apache-2.0

#include "launch/ending.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/one_line.hpp"

namespace weir::launch {

namespace {

std::pair<std::uint32_t, bool> key_of(const RankEnd& end) { return {end.order, end.end.signal == 0}; }

std::string how(const RankEnd& failed) {
  if (const int number = failed.end.signal; number != 0) {
    const char* const name = sigabbrev_np(number);
    return name != nullptr ? fmt::format("was ended by SIG{} ({})", name, sigdescr_np(number))
                           : fmt::format("was ended by signal {}", number);
  }
  if (failed.end.status != 0) return fmt::format("has ended with status {}", failed.end.status);
  if (failed.has_joined && !failed.has_left) return "has ended with status 0, but had not left the job";
  return "has ended with status 0, but others wait for it to start with them";
}

}  // namespace

std::optional<std::uint32_t> first_failure(std::span<const RankEnd> ranks, bool may_still_come) {
  std::optional<std::uint32_t> cause, victim;
  const auto earlier = [&](const std::optional<std::uint32_t>& so_far, std::uint32_t rank) {
    return !so_far || key_of(ranks[rank]) < key_of(ranks[*so_far]);
  };
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    const RankEnd& end = ranks[rank];
    if (!end.is_failure() || (may_still_come && end.has_left && !end.is_sought)) continue;
    auto& first = ranks[rank].lost ? victim : cause;
    if (earlier(first, rank)) first = rank;
  }
  return cause || may_still_come ? cause : victim;
}

int status_of(const RankEnd& failed) noexcept { return failed.end.well() ? 1 : failed.end.status; }

std::string describe(const Named& rank, const RankEnd& failed, const std::string& last_words, std::size_t others) {
  std::string text = fmt::format("rank {} (process {} on {}) {}", rank.rank, rank.pid, rank.host, how(failed));
  if (failed.lost) text += fmt::format(", as it had lost rank {}", *failed.lost);
  if (!last_words.empty()) text += fmt::format("; its last words: {}", base::one_line(last_words));
  if (others > 0) text += fmt::format("; {} {} ended with it", others, others == 1 ? "other is" : "others are");
  return text;
}

}  // namespace weir::launch
