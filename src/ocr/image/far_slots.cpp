// SPDX-License-Identifier: Apache-2.0

#include "ocr/image/far_slots.hpp"

#include <iterator>

#include "ocr/image/steps.hpp"

namespace weir::ocr {

std::uint64_t KnownSlots::find(std::uint64_t before) const noexcept {
  auto after = edts_.upper_bound(before);
  if (after == edts_.begin()) return 0;
  const auto [first, edt] = *std::prev(after);
  const std::uint64_t index = (before - first) / sizeof(Slot);
  if (index >= edt->depc() || (before - first) % sizeof(Slot) != 0) return 0;
  Slot& slot = edt->slots()[index];
  return edt->body().source_of(slot).is_null() ? 0 : reinterpret_cast<std::uint64_t>(&slot);
}

Answer answer_find_slots(const KnownSlots& slots, Reader& body) {
  std::vector<std::uint64_t> addresses = body.get_all<std::uint64_t>();
  for (std::uint64_t& each : addresses) each = slots.find(each);
  return {0, Writer().put_all(std::span<const std::uint64_t>(addresses)).take()};
}

bool connect(const std::vector<FarLink>& links) {
  std::map<Rank, std::vector<const FarLink*>> by_rank;
  for (const FarLink& each : links) by_rank[each.slot.home].push_back(&each);
  for (const auto& [rank, all] : by_rank) {
    std::vector<std::uint64_t> addresses;
    for (const FarLink* const each : all) addresses.push_back(each->slot.address);
    Writer message;
    message.put(CheckpointAsk::find_slots).put_all(std::span<const std::uint64_t>(addresses));
    const Answer answer = Mail::running()->ask(rank, Say::checkpoint, message);
    if (answer.code != 0) return false;
    addresses = Reader(answer.body).get_all<std::uint64_t>();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (addresses[i] == 0) continue;
      all[i]->link->target = target_of(FarSlot{rank, addresses[i]});
      all[i]->link->slot = static_cast<std::uint32_t>(rank);
    }
  }
  return true;
}

}  // namespace weir::ocr
