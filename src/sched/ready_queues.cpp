// SPDX-License-Identifier: Apache-2.0

#include "sched/ready_queues.hpp"

#include "base/check.hpp"
#include "sched/policy/placement.hpp"
#include "sched/team.hpp"

namespace weir::sched {

ReadyQueues::ReadyQueues(Team& team, int worker, int domain)
    : hint_(team.lot(domain)),
      lot_(&team.lot(domain)),
      domain_(&team.queues(domain)),
      team_(&team),
      worker_(worker),
      domain_index_(domain) {}

void ReadyQueues::push_reversed(const Item* items, std::uint32_t count) noexcept {
  if (deque_.push_reversed(items, count)) [[likely]]
    return wake_for_work();
  for (std::uint32_t i = count; i > 0; --i) push(items[i - 1]);
}

void ReadyQueues::give_away_batch() noexcept {
  std::array<Item, PrivateBatch::kMost> items;
  std::uint32_t count = 0;
  while (const Item item = batch_.take()) items[count++] = item;
  if (count != 0) push_reversed(items.data(), count);
}

void ReadyQueues::push_over(Item item) noexcept {
  overflow(item);
  wake_for_work();
}

// The oldest make room, or the task itself goes when the oldest cannot.
void ReadyQueues::overflow(Item item) noexcept {
  WEIR_CHECK((item & StealDeque::kAlone) == 0, "the half of a fork_join() has no other place than the deque");
  Overflow::Batch* const batch = overflowed_.empty_batch();
  batch->count = deque_.take_oldest(batch->items);
  const bool fits = batch->count != 0;
  if (!fits) {
    batch->items[0] = item;
    batch->count = 1;
  }
  overflowed_.put(batch);
  if (fits) static_cast<void>(deque_.push(item));
}

void ReadyQueues::wake_one() noexcept {
  if (worker_ == 0) team_->queues(domain_index_).lookout.make_way();
  lot_->wake_one(domain_index_);
}

void ReadyQueues::wake_someone() noexcept {
  if (lot_->should_wake() && policy::is_worth_waking(seen(), lot_->someone_parks_timed() || lot_->is_watched()))
    wake_one();
}

}  // namespace weir::sched
