// SPDX-License-Identifier: Apache-2.0

// Standstill: ranks that wait for one another and none of which can go on, as each waits for what another has not
// spawned. One of them finds it, and never where a rank can still go on: docs/protocols/cluster.md (Standstills).
//
// K. M. Chandy, J. Misra, L. M. Haas: Distributed deadlock detection, ACM TOCS 1(2), 1983, the algorithm for processes
// that go on with any one message of those that they depend on. A rank that has been blocked for long sends a probe to
// each rank that it depends on; one that is blocked passes the first probe of a search on to those that it depends on
// itself, and answers it when all of these have answered and nothing has happened to it meanwhile. Who began and
// has all answers has found a standstill.
//
// One thread looks; note() and has_mail() are for any. Nothing is kept of other ranks before this rank, or one that
// waits for it, has been blocked for long.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.hpp"
#include "base/mutex.hpp"
#include "cluster/wire.hpp"

namespace weir::cluster {

class Standstill {
 public:
  // The rank at a moment.
  struct Look {
    bool is_still = false;     // nothing makes it go on but messages of ranks that it depends on
    std::uint64_t events = 0;  // grows with all that happens to it, those messages among it
  };
  // What it is asked, and does.
  class Place {
   public:
    virtual Look look() = 0;
    // Each once, and others than this one; none: it is not known. The same while there are no events.
    virtual std::vector<Rank> depends_on() = 0;
    // What it waits for that rank to do, for people: "waits for tile a[3] of rank 2".
    virtual std::string wish(Rank of) = 0;
    // What else people want to know of it, in a sentence; empty: nothing.
    virtual std::string aside() = 0;
    virtual void send(Rank to, const Probe& probe, std::string_view text) = 0;

   protected:
    ~Place() = default;
  };

  Standstill(Rank self, std::uint32_t ranks) noexcept : self_(self), ranks_(ranks) {}

  // Of a handler, behind those of all messages that the sender had sent before.
  void note(Rank from, const Probe& probe, std::string_view text);
  bool has_mail() const;
  // Now and then, and when there is mail. What ranks wait for that will never come, in words; none: nothing is known.
  std::optional<std::string> look(std::uint64_t now_ns, Place& place);

 private:
  struct Letter {
    Rank from;
    Probe probe;
    std::string text;
  };
  // The last one that a rank has begun, as far as this rank knows.
  struct Search {
    std::uint32_t number = 0;
    std::uint64_t spell = 0;            // in which this rank takes part in it; 0: it does not yet
    std::vector<Rank> askers = {};      // whose probes have come and are not looked at
    Rank engager{};                     // whose probe was the first
    std::vector<Rank> unanswered = {};  // whom this rank has asked
    std::string found = {};             // what it is answered
  };

  void note_look(const Look& seen, std::uint64_t now_ns) noexcept;
  bool is_blocked(std::uint64_t now_ns) const noexcept;
  void take(Letter& letter, Place& place);
  void note_answer(const Letter& answer, Place& place);
  void look_at_askers(Rank initiator, std::uint64_t now_ns, Place& place);
  bool take_part(Rank initiator, Search& search, Place& place) const;
  std::string own_wish(const std::vector<Rank>& depends_on, Place& place) const;
  void begin(std::uint64_t now_ns, Place& place);

  const Rank self_;
  const std::uint32_t ranks_;
  mutable base::Mutex mutex_;
  std::vector<Letter> mail_ WEIR_GUARDED_BY(mutex_);
  // Of the thread that looks, as all that follows. A spell is a time without events in which the rank is still.
  Look last_;
  std::uint64_t spell_ = 1, spell_began_ = 0;  // its number, and when
  int looks_ = 0;                              // in it, behind the first
  std::uint64_t gap_ = 0, due_ = 0;            // of its own searches; when it begins the next, unless it is
  std::uint64_t postponed_ = 0;                // put off until then
  std::unordered_map<Rank, Search> searches_;  // by who has begun them
  std::vector<Rank> asked_;                    // of these some have askers
};

}  // namespace weir::cluster
