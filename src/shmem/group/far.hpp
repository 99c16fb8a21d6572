// SPDX-License-Identifier: Apache-2.0

// Far: the leaders of a group's nodes, one for each, which reach one another by puts, gets and flags only.
//
// All leaders take the same steps in the same order; the other members of a node know nothing of it. One thread at a
// time.
#pragma once

#include <vector>

#include "base/check.hpp"
#include "shmem/group/area.hpp"
#include "shmem/group/reach.hpp"

namespace weir::shmem {

class Far {
 public:
  struct Places {
    std::vector<int> pes;      // the leaders, node by node
    std::vector<Area*> areas;  // theirs, as symmetric pointers
    unsigned me = 0;           // this PE's node
    Step first_step = 0;       // as for Near
  };

  Far(Places places, Reach& reach) : places_(std::move(places)), reach_(reach), step_(places_.first_step) {
    WEIR_CHECK(nodes() <= 1U << kMostFarRounds, "a group has at most 4,096 nodes");
  }

  unsigned nodes() const noexcept { return static_cast<unsigned>(places_.pes.size()); }
  unsigned me() const noexcept { return places_.me; }
  int pe(unsigned node) const noexcept { return places_.pes[node]; }
  Step step() const noexcept { return step_; }

  // All leaders have begun it, and what each has put and quieted before is seen by every one.
  void sync();
  // A sync; then `all` has the texts of all leaders, one after the other. At most kLetterBytes.
  void exchange(const void* text, std::size_t bytes, std::byte* all);
  // A sync; then `text` is that of the leader of node `root`. At most kLetterBytes.
  void tell(unsigned root, void* text, std::size_t bytes);

 private:
  void show(const void* text, std::size_t bytes);

  Places places_;
  Reach& reach_;
  Step step_;
  unsigned shown_ = 0;  // letters; the next one goes to the other of two places
};

}  // namespace weir::shmem
