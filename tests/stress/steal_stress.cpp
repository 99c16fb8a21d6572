// SPDX-License-Identifier: Apache-2.0

// StealDeque, Overflow and PrivateBatch: one owner, several thieves; each item comes out exactly once.
// docs/protocols/steal.md
#include <array>
#include <memory>
#include <vector>

#include "sched/overflow.hpp"
#include "sched/private_batch.hpp"
#include "sched/steal_deque.hpp"
#include "stress.hpp"

namespace {

using weir::sched::Overflow;
using weir::sched::PrivateBatch;
using weir::sched::StealDeque;

constexpr std::size_t kItems = 20000;

struct Round {
  StealDeque deque;
  Overflow overflowed;
  PrivateBatch batch;
  std::unique_ptr<int[]> payload{new int[kItems + 1]()};  // plain: published by the deque alone
  std::unique_ptr<std::atomic<int>[]> taken { new std::atomic<int>[ kItems + 1 ]() };
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};

  void take(StealDeque::Item item) {
    const std::size_t n = item >> 1;
    if (n == 0 || n > kItems || payload[n] != static_cast<int>(n))
      ++wrong;
    else
      ++taken[n];
  }
};

std::size_t take(Round& round, Overflow::Batch* batch) {
  const std::size_t count = batch->count;
  for (std::uint32_t i = 0; i < count; ++i) round.take(batch->items[i]);
  Overflow::give_back(batch);
  return count;
}

std::size_t steal_overflowed(Round& round) {
  std::array<Overflow::Batch*, Overflow::kMostAtOnce> batches;
  std::size_t count = 0;
  for (std::size_t n = round.overflowed.take_oldest(batches); n > 0; --n) count += take(round, batches[n - 1]);
  return count;
}

void steal(Round& round) {
  StealDeque::Batch batch;
  for (;;) {
    const bool last = round.stop;
    if (steal_overflowed(round) != 0) continue;
    std::uint32_t count = round.deque.steal(batch);
    if (count == 0 && round.batch.size() != 0) count = round.batch.take_all(batch);
    for (std::uint32_t i = 0; i < count; ++i) round.take(batch[i]);
    if (count == 0 && last && round.deque.size() == 0 && round.overflowed.empty() && round.batch.size() == 0) return;
  }
}

// The oldest items, or `item` itself when they cannot be had; false: it still wants a place.
bool overflow(Round& round, StealDeque::Item item) {
  Overflow::Batch* const batch = round.overflowed.empty_batch();
  batch->count = round.deque.take_oldest(batch->items);
  const bool moved = batch->count != 0;
  if (!moved) {
    batch->items[0] = item;
    batch->count = 1;
  }
  round.overflowed.put(batch);
  return !moved;
}

// One of the newest, from the private batch or past it, or the oldest.
bool take_one(Round& round, weir::stress::Stress& stress) {
  if (stress.below(4) == 0) {
    if (const StealDeque::Item oldest = round.deque.pop_oldest()) {
      round.take(oldest);
      return true;
    }
  }
  if (round.batch.empty() && stress.below(2) == 0) static_cast<void>(round.batch.fill(round.deque));
  StealDeque::Item item = stress.below(8) != 0 ? round.batch.take() : 0;
  if (item == 0) item = round.deque.pop();
  if (item == 0) return false;
  round.take(item);
  return true;
}

bool push_several(Round& round, std::size_t first) {
  std::array<StealDeque::Item, 4> some;
  for (std::size_t i = 0; i < some.size(); ++i) {
    round.payload[first + i] = static_cast<int>(first + i);
    some[i] = (first + i) << 1;
  }
  return round.deque.push_reversed(some.data(), static_cast<std::uint32_t>(some.size()));
}

void own(Round& round, weir::stress::Stress& stress, unsigned burst) {
  const unsigned alone = stress.below(2) == 0 ? 8 : 1000;  // one of so many
  for (std::size_t next = 1; next <= kItems;) {
    for (unsigned i = stress.below(burst) + 1; i > 0 && next <= kItems; --i) {
      if (next + 3 <= kItems && stress.below(8) == 0 && push_several(round, next)) {
        next += 4;
        continue;
      }
      round.payload[next] = static_cast<int>(next);
      const StealDeque::Item mark = stress.below(alone) == 0 ? StealDeque::kAlone : 0;
      const StealDeque::Item item = (next << 1) | mark;
      const bool full = mark == 0 && stress.below(16) == 0;  // as if it were
      if (!(full && overflow(round, item)) && !round.deque.push(item)) break;
      ++next;
    }
    for (unsigned i = stress.below(burst) + 1; i > 0; --i) {
      if (take_one(round, stress)) continue;
      if (Overflow::Batch* const batch = round.overflowed.take_newest())
        take(round, batch);
      else
        break;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  weir::stress::Stress stress(argc, argv);
  while (stress.goes_on()) {
    Round round;
    const unsigned thieves = 1 + stress.below(4);
    stress.doing("stealing from a deque, thieves:", thieves);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < thieves; ++t) threads.emplace_back([&] { steal(round); });
    own(round, stress, stress.below(2) == 0 ? 3 : 300);
    round.stop = true;
    for (auto& thread : threads) thread.join();
    while (const auto item = round.batch.take()) round.take(item);
    while (const auto item = round.deque.pop()) round.take(item);
    while (Overflow::Batch* const batch = round.overflowed.take_newest()) take(round, batch);
    stress.check(round.wrong == 0, "an item that was never pushed, or not published");
    for (std::size_t i = 1; i <= kItems; ++i) stress.check(round.taken[i] == 1, "an item not taken exactly once");
  }
}
