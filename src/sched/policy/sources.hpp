// SPDX-License-Identifier: Apache-2.0

// The places where a ready task can be, once, in the order in which a worker looks at them. Whoever takes a task, looks
// whether there is one, or steals one asks for the part of this list that it may use: so a place that is added here is
// in view of all of them. Pure functions: tests/unit/sched/sources_test.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weir::sched::policy {

enum class Source : std::uint8_t {
  urgent,      // the domain's inbox of urgent tasks
  next,        // the successor of the task that the worker ended last
  mailbox,     // the worker's affinity mailbox: others made these ready, and their data is here
  turn,        // the domain's inbox, when it is its turn: a busy deque would starve it
  batch,       // the worker's private steal batch: stolen, tiny, taken from the deque at once
  deque,       // the worker's deque
  overflow,    // what the deque had no room for
  inbox,       // the domain's inbox of tasks from outside of its workers
  peers,       // what other workers of the domain have and let others take
  background,  // the domain's inbox of background tasks
  far,         // the same of other domains, nearest first
};

inline constexpr std::array kSources{Source::urgent, Source::next,       Source::mailbox,  Source::turn,
                                     Source::batch,  Source::deque,      Source::overflow, Source::inbox,
                                     Source::peers,  Source::background, Source::far};

// ---- Parts of the list ----

// What a worker takes without a search: everything before what is of other workers.
constexpr bool is_at_hand(Source s) noexcept { return s < Source::peers; }
// Of those, the ones that come no sooner than kFrom.
template <Source kFrom>
constexpr bool is_at_hand_from(Source s) noexcept {
  return is_at_hand(s) && s >= kFrom;
}
// Only the worker itself adds to these: once they were empty they stay so while it searches, but for what it asks for
// and thereby makes ready (Search::ask_and_take()). (`turn` is the inbox again.)
constexpr bool is_filled_by_owner(Source s) noexcept {
  return s == Source::next || s == Source::batch || s == Source::deque || s == Source::overflow;
}
// What a worker that has nothing at hand looks at.
constexpr bool is_searched(Source s) noexcept { return !is_filled_by_owner(s) && s != Source::turn; }
// What a domain's workers share, as workers of any domain see it.
constexpr bool is_of_domain(Source s) noexcept {
  return s == Source::urgent || s == Source::inbox || s == Source::peers || s == Source::background;
}
// An inbox of a domain.
constexpr bool is_inbox(Source s) noexcept {
  return s == Source::urgent || s == Source::turn || s == Source::inbox || s == Source::background;
}
// Which of a worker's own places others take from. They do so in the reverse order: from what its owner comes to last.
constexpr bool is_open_to_others(Source s) noexcept {
  return s == Source::mailbox || s == Source::batch || s == Source::deque || s == Source::overflow;
}

// What a thread looks at that leaves to other workers, for now, what those have (leaves_to_others(), steal.hpp).
constexpr bool may_look_at(Source s, bool leaves_to_others) noexcept {
  return !leaves_to_others || (s != Source::peers && s != Source::far);
}

// After this many tasks of its own a worker looks into the inbox first.
inline constexpr std::uint32_t kInboxTurn = 64;
constexpr bool is_turn_of_inbox(std::uint32_t tasks_taken) noexcept { return tasks_taken % kInboxTurn == 0; }

// ---- Reading the list ----

template <Source kSource>
using Constant = std::integral_constant<Source, kSource>;

// The first source of the list for which kPart is true.
template <auto kPart>
constexpr Source head() noexcept {
  std::size_t at = 0;
  while (!kPart(kSources[at])) ++at;
  return kSources[at];
}

// The first one after `source` for which kPart is true.
template <auto kPart>
constexpr Source next_of(Source source) noexcept {
  std::size_t at = static_cast<std::size_t>(source) + 1;
  while (!kPart(kSources[at])) ++at;
  return kSources[at];
}

// The step of first_of() at place kAt of the list.
template <auto kPart, bool kReversed, std::size_t kAt, class Result, class Visit>
[[gnu::always_inline]] constexpr void look_from(Result& found, Visit& visit) {
  if constexpr (kAt < kSources.size()) {
    constexpr Source kSource = kSources[kReversed ? kSources.size() - 1 - kAt : kAt];
    if constexpr (kPart(kSource)) {
      found = visit(Constant<kSource>{});
      if (found) return;
    }
    look_from<kPart, kReversed, kAt + 1>(found, visit);
  }
}

// Calls visit(Constant<source>) for the sources for which kPart is true, in order, until one gives something that is
// true as a condition; that, or an empty result. Nothing is left of the list at run time.
template <auto kPart, bool kReversed = false, class Visit>
[[gnu::always_inline]] constexpr auto first_of(Visit&& visit) {
  std::invoke_result_t<Visit&, Constant<head<kPart>()>> found{};
  look_from<kPart, kReversed, 0>(found, visit);
  return found;
}

}  // namespace weir::sched::policy
