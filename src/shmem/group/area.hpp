// SPDX-License-Identifier: Apache-2.0

// Area: what one member of a group shows to the others, in memory that its neighbours map.
//
// Every word has one writer at a time and only grows, by the numbers of the steps that a group's members take together;
// nothing is ever reset. So a word that was overwritten before somebody read it says more than was asked, never less
// (docs/protocols/shmem-collectives.md). Zeros are an area that has seen no step. An area is a page: areas that no
// group uses take no memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/layout.hpp"

namespace weir::shmem {

using Step = std::uint64_t;

// A line that says how far its writer has come.
struct alignas(base::kDestructiveSize) Flag {
  std::atomic<Step> step{0};
};

// How far its owner has come, in steps of its node and in those of the leaders.
struct alignas(base::kDestructiveSize) Ends {
  std::atomic<Step> step{0};
  std::atomic<Step> far_step{0};
};

// What a member says in a step: the number is written last, the text is to be read only when it is there.
inline constexpr std::size_t kLetterBytes = 240;
struct alignas(base::kDestructiveSize) Letter {
  std::atomic<Step> step{0};
  std::uint64_t unused = 0;  // the text is aligned for every type
  std::byte text[kLetterBytes]{};
};
static_assert(sizeof(Letter) == 4 * base::kDestructiveSize && offsetof(Letter, text) == 16);

inline constexpr unsigned kLetters = 8;  // how many steps a member may be ahead of those that read its letters
inline constexpr unsigned kMostRounds = 10, kMostFarRounds = 12;  // of disseminations: 1,024 members, 4,096 nodes

// Two words that a member shows to all of its group, on any node (exchange.hpp).
struct Offer {
  std::atomic<std::uint64_t> words[2]{};
};

// Of a work that the members share out: for a step (its number shifted by kPartBits) how many of its parts have been
// taken, from the front (the lower half of the bits) and from the back, and how many are done.
inline constexpr unsigned kPartBits = 20;
inline constexpr unsigned kMostParts = (1U << kPartBits / 2) - 1;
struct Work {
  std::atomic<Step> taken{0}, done{0};
};

struct Area {
  Ends done;                 // its owner: the last step in which it has read all that it wanted to read of others
  Letter letters[kLetters];  // its owner
  Flag rounds[kMostRounds];  // one neighbour each
  alignas(base::kDestructiveSize) Offer offer;  // its owner
  Work work;                                    // all members, in their leader's area
  Letter far_letters[2];                        // its owner, when it leads its node
  Flag far_rounds[kMostFarRounds];              // one leader of another node each
};
// How far a member has come: the last step that it has ended, or in which it has said something.
inline Step last_step(const Area& area) noexcept {
  Step last = area.done.step.load();
  for (const Letter& letter : area.letters) last = std::max(last, letter.step.load());
  return last;
}

inline constexpr std::size_t kAreaBytes = 4096;
static_assert(sizeof(Area) <= kAreaBytes);

}  // namespace weir::shmem
