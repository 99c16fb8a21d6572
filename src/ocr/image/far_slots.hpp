// SPDX-License-Identifier: Apache-2.0

// Slots of EDTs of other ranks, which links know by their addresses (graph/far.hpp): where they are in a run that goes
// on from a checkpoint.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ocr/graph/far.hpp"

namespace weir::ocr {

// The rank that has the slot now, of which another run's rank had it.
inline Rank holder_of(const FarSlot& past) noexcept {
  return Rank{adopter_of(static_cast<std::uint32_t>(past.home), homes().ranks)};
}

// Those of this rank, by where they were. Made by one thread, then read by any.
class KnownSlots {
 public:
  // The slots of the EDT began there.
  void note(const FarSlot& before, Edt& edt) { edts_.emplace(key_of(before), &edt); }
  // The slot that was there, if it waits.
  Slot* find(const FarSlot& before) const noexcept;

 private:
  using Key = std::pair<Rank, std::uint64_t>;
  static Key key_of(const FarSlot& slot) noexcept { return {slot.home, slot.address}; }

  std::map<Key, Edt*> edts_;
};

// A link to a slot that was there. To nothing yet.
struct FarLink {
  Link* link = nullptr;
  FarSlot slot{};
};

// What is asked of a rank: a number of slots as they were; and its answer, as many addresses.
Answer answer_find_slots(const KnownSlots& slots, Reader& body);
// Asks the ranks that have these slots, and makes the links lead there; one whose slot is gone leads nowhere. False:
// the program ends. Not on a thread that performs what others ask.
bool connect(const std::vector<FarLink>& links);

}  // namespace weir::ocr
