// SPDX-License-Identifier: Apache-2.0

// Near: the members of a group that are on one node, and how they tell one another small things, by letters in shared
// memory.
//
// All members take the same steps in the same order. In a step a member may post one letter, and hear those of others;
// a collective is one step or a few. One thread at a time (a team's collectives must not overlap). The proof that no
// letter is overwritten before it was read is docs/protocols/shmem-collectives.md.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "shmem/group/area.hpp"
#include "shmem/group/reach.hpp"

namespace weir::shmem {

// What fits a few words is copied as words, inline.
inline void copy_small(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes == sizeof(std::uint64_t)) {
    std::memcpy(to, from, sizeof(std::uint64_t));
  } else if (bytes != 0) {
    std::memcpy(to, from, bytes);
  }
}

class Near {
 public:
  struct Places {
    std::vector<Area*> areas;  // of all members, as this process maps them
    unsigned me = 0;
    Step first_step = 0;   // no member's area has seen a later one; the same for all members
    bool crowded = false;  // there are more PEs on the node than processors
  };

  Near(Places places, Reach& reach);

  unsigned size() const noexcept { return static_cast<unsigned>(places_.areas.size()); }
  unsigned me() const noexcept { return places_.me; }
  // Everyone hears everyone: as quick as a pair for few members, and each needs the processor once in a step.
  bool is_small() const noexcept { return size() <= (places_.crowded ? kFewTurns : kFew); }
  Step step() const noexcept { return step_; }
  Area& area(unsigned member) noexcept { return *places_.areas[member]; }

  void begin() noexcept { ++step_; }
  // Waits until everybody has read this member's letter of kLetters steps ago. Once in a step.
  void post(const void* text, std::size_t bytes) {
    if (read_by_all_ + kLetters < step_) [[unlikely]] {
      make_room();
    }
    Letter& letter = mine().letters[step_ % kLetters];
    copy_small(letter.text, text, bytes);
    letter.step.store(step_, std::memory_order_release);  // LETTER-1: publishes the text
  }
  // The text of a member that posts in this step; good until end().
  const std::byte* hear(unsigned member) {
    const Letter& letter = area(member).letters[step_ % kLetters];
    wait(letter.step);  // LETTER-1
    ended_[member] = step_ - 1;
    return letter.text;
  }
  // What was heard is not needed any more, and nothing of others that was read directly.
  void end() noexcept { mine().done.step.store(step_, std::memory_order_release); }  // LETTER-2
  // Every member was heard, or is known to have begun the step `back` steps ago: all have ended those before it.
  void all_have_begun(Step back = 0) noexcept { read_by_all_ = step_ - back - 1; }

  // A step in which all have begun before any ends it. A member that leaves sync() has seen what all wrote before.
  void sync();
  // The two halves of a sync through the leader, member 0, for more than a few members and for groups of several nodes:
  // the leader leaves gather() when all have begun; the others leave release() after the leader has entered it.
  void gather(const void* text, std::size_t bytes);               // the leader may then hear everyone, before release()
  const std::byte* release(const void* text, std::size_t bytes);  // what the leader says; to end() by the caller

  // Until all members have ended this step.
  void wait_for_end();

  // Members have to wait for a turn of a processor: who has one had better do the work of the others, too.
  bool takes_turns() const noexcept { return places_.crowded; }
  // Work of this step, which all have begun: calls work(part) for each of `parts`, at least 1, on some member. All is
  // done, and seen, when it returns. At most once in a step. Processors take parts from the two ends, each from the
  // same one again and again, so that a part's lines are often in the caches of the processor that does it.
  template <class F>
  void share_out(unsigned parts, F work) {
    const unsigned taken_alone = std::min(parts, kMostParts);
    while (const auto first = take_part(taken_alone)) {
      for (unsigned part = *first; part < parts; part += kMostParts) work(part);
      end_part();
    }
    wait(area(0).work.done, (step_ << kPartBits) + taken_alone);  // WORK-1
  }

 private:
  static constexpr unsigned kFew = 8;
  static constexpr unsigned kFewTurns = 64;  // so many letters are read sooner than another PE has had its turn
  static constexpr unsigned kMostDisseminating = 1U << kMostRounds;
  static constexpr unsigned kSpins = 400;

  Area& mine() noexcept { return *places_.areas[places_.me]; }
  void wait(const std::atomic<Step>& word) { wait(word, step_); }
  void wait(const std::atomic<Step>& word, Step step) {
    if (word.load(std::memory_order_acquire) < step) wait_slow(word, step);  // LETTER-1, LETTER-2, ROUND-1
  }
  void wait_slow(const std::atomic<Step>& word, Step step);
  void make_room();
  void disseminate();
  std::optional<unsigned> take_part(unsigned parts) noexcept;
  void end_part() noexcept;

  Places places_;
  Reach& reach_;
  unsigned spins_;
  Step step_;
  std::vector<Step> ended_;  // by each member, as its letters have told: who begins a step has ended the one before
  Step read_by_all_;         // all letters of this and earlier steps have been read by whoever wanted to
};

}  // namespace weir::shmem
