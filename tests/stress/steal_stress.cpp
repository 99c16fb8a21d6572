// StealDeque: one owner, several thieves; each item comes out exactly once. docs/protocols/steal.md
#include <memory>
#include <vector>

#include "sched/steal_deque.hpp"
#include "stress.hpp"

namespace {

using weir::sched::StealDeque;

constexpr std::size_t kItems = 20000;

struct Round {
  StealDeque deque;
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

void steal(Round& round) {
  StealDeque::Batch batch;
  for (;;) {
    const bool last = round.stop;
    const std::uint32_t count = round.deque.steal(batch);
    for (std::uint32_t i = 0; i < count; ++i) round.take(batch[i]);
    if (count == 0 && last && round.deque.size() == 0) return;
  }
}

void own(Round& round, weir::stress::Stress& stress, unsigned burst) {
  for (std::size_t next = 1; next <= kItems;) {
    for (unsigned i = stress.below(burst) + 1; i > 0 && next <= kItems; --i) {
      round.payload[next] = static_cast<int>(next);
      const StealDeque::Item mark = stress.below(8) == 0 ? StealDeque::kAlone : 0;
      if (!round.deque.push((next << 1) | mark)) break;
      ++next;
    }
    for (unsigned i = stress.below(burst) + 1; i > 0; --i) {
      const StealDeque::Item item = round.deque.pop();
      if (item == 0) break;
      round.take(item);
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
    while (const auto item = round.deque.pop()) round.take(item);
    stress.check(round.wrong == 0, "an item that was never pushed, or not published");
    for (std::size_t i = 1; i <= kItems; ++i) stress.check(round.taken[i] == 1, "an item not taken exactly once");
  }
}
