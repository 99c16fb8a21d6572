// SPDX-License-Identifier: Apache-2.0

// GUIDs of EDTs that a rank gives another one ahead, which names EDTs that it makes there by them and waits for no
// answer (docs/decisions/0040-guids-of-edts-given-ahead.md).
//
// Each is a label of a generation above 0, which none of a program's labels has (Guid::is_given()). A batch of them is
// of one generation; when its EDTs have all ended it is given again, under the next one.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "ocr/objects/guid.hpp"

namespace weir::ocr {

// As it goes to the other rank: `count` GUIDs from `first` on.
struct GivenGuids {
  Guid first;
  std::uint32_t count = 0;  // 0: there are none
  std::uint64_t batch = 0;  // the home's; each EDT gives it back
};

// ---- At their home. Any thread. ----

// A batch for another rank; none when too many are in use, or there is no memory.
GivenGuids give_guids() noexcept;
// An EDT that had one of the batch has ended, and the GUID's entry has no EDT. 0: it was given in an earlier run, which
// has written a checkpoint, and none of that batch is given again.
void end_given(std::uint64_t batch) noexcept;

// ---- At the rank that has been given them ----

// Those that one thread has, by their home.
class GuidStock {
 public:
  // One of them, as a batch of its own; none: to be asked for, and put in.
  std::optional<GivenGuids> take(Rank home) noexcept {
    GivenGuids* const all = find(home);
    if (all == nullptr || all->count == 0) return std::nullopt;
    --all->count;
    return GivenGuids{std::exchange(all->first, Guid{all->first.bits + 1}), 1, all->batch};
  }
  // Those that were there before are gone.
  void put(Rank home, const GivenGuids& given) {
    if (GivenGuids* const all = find(home))
      *all = given;
    else
      homes_.emplace_back(home, given);
  }

 private:
  GivenGuids* find(Rank home) noexcept {
    for (auto& [rank, given] : homes_)
      if (rank == home) return &given;
    return nullptr;
  }

  std::vector<std::pair<Rank, GivenGuids>> homes_;  // of those that the thread has asked, a few
};

}  // namespace weir::ocr
