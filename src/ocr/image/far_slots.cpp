// SPDX-License-Identifier: Apache-2.0

#include "ocr/image/far_slots.hpp"

#include <iterator>

#include "ocr/image/steps.hpp"

namespace weir::ocr {

Slot* KnownSlots::find(const FarSlot& before) const noexcept {
  auto after = edts_.upper_bound(key_of(before));
  if (after == edts_.begin()) return nullptr;
  const auto& [first, edt] = *std::prev(after);
  const std::uint64_t distance = before.address - first.second, index = distance / sizeof(Slot);
  if (first.first != before.home || index >= edt->depc() || distance % sizeof(Slot) != 0) return nullptr;
  Slot& slot = edt->slots()[index];
  return edt->body().source_of(slot).is_null() ? nullptr : &slot;
}

Answer answer_find_slots(const KnownSlots& slots, Reader& body) {
  std::vector<std::uint64_t> addresses;
  for (const FarSlot& each : body.get_all<FarSlot>())
    addresses.push_back(reinterpret_cast<std::uint64_t>(slots.find(each)));
  return {0, Writer().put_all(std::span<const std::uint64_t>(addresses)).take()};
}

bool connect(const std::vector<FarLink>& links) {
  std::map<Rank, std::vector<const FarLink*>> by_rank;
  for (const FarLink& each : links) by_rank[holder_of(each.slot)].push_back(&each);
  for (const auto& [rank, all] : by_rank) {
    std::vector<FarSlot> slots;
    for (const FarLink* const each : all) slots.push_back(each->slot);
    Writer message;
    message.put(CheckpointAsk::find_slots).put_all(std::span<const FarSlot>(slots));
    const Answer answer = Mail::running()->ask(rank, Say::checkpoint, message);
    if (answer.code != 0) return false;
    const auto addresses = Reader(answer.body).get_all<std::uint64_t>();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (addresses[i] == 0) continue;
      all[i]->link->target = target_of(FarSlot{rank, addresses[i]});
      all[i]->link->slot = static_cast<std::uint32_t>(rank);
    }
  }
  return true;
}

}  // namespace weir::ocr
