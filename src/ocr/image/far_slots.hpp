// SPDX-License-Identifier: Apache-2.0

// Slots of EDTs of other ranks, which links know by their addresses (graph/far.hpp): where they are in a run that goes
// on from a checkpoint.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ocr/graph/far.hpp"

namespace weir::ocr {

// Those of this rank, by the addresses that they had. Made by one thread, then read by any.
class KnownSlots {
 public:
  // The slots of the EDT began there.
  void note(std::uint64_t before, Edt& edt) { edts_.emplace(before, &edt); }
  // Where the slot is now that was there, if it waits; else 0.
  std::uint64_t find(std::uint64_t before) const noexcept;

 private:
  std::map<std::uint64_t, Edt*> edts_;
};

// A link to a slot that was there. To nothing yet.
struct FarLink {
  Link* link = nullptr;
  FarSlot slot{};
};

// What is asked of a rank: a number of addresses; and its answer, as many.
Answer answer_find_slots(const KnownSlots& slots, Reader& body);
// Asks the ranks that these slots are on, and makes the links lead there; one whose slot is gone leads nowhere. False:
// the program ends. Not on a thread that performs what others ask.
bool connect(const std::vector<FarLink>& links);

}  // namespace weir::ocr
