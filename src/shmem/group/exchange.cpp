// SPDX-License-Identifier: Apache-2.0

#include "shmem/group/exchange.hpp"

#include "shmem/group/collective.hpp"

namespace weir::shmem {

std::vector<WordPair> exchange_words(Group& group, const WordPair& mine) {
  Offer& shown = group.area(group.me())->offer;
  shown.words[0].store(mine.first, std::memory_order_release);   // OFFER-1: seen after the sync
  shown.words[1].store(mine.second, std::memory_order_release);  // OFFER-1
  sync(group);
  std::vector<WordPair> all(group.size());
  for (unsigned member = 0; member < group.size(); ++member) {
    const Offer& offer = group.area(member)->offer;
    if (const std::byte* const there = group.at(&offer, member); there != nullptr) {
      const auto& words = reinterpret_cast<const Offer*>(there)->words;
      all[member] = {words[0].load(std::memory_order_acquire), words[1].load(std::memory_order_acquire)};  // OFFER-1
    } else {
      group.reach().get_nbi(&all[member].first, &offer.words[0], sizeof(std::uint64_t), group.pe(member));
      group.reach().get_nbi(&all[member].second, &offer.words[1], sizeof(std::uint64_t), group.pe(member));
    }
  }
  if (group.has_far()) group.reach().quiet();
  return all;
}

}  // namespace weir::shmem
