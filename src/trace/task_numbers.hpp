// TaskNumbers: a small number, from 1, for each identity of a task. A table without pointers: writers of files look up
// every task a few times. One thread adds; then any may find.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::trace {

class TaskNumbers {
 public:
  // For about so many.
  explicit TaskNumbers(std::size_t expected) : slots_(std::bit_ceil(2 * expected + 16)) {}

  std::uint32_t add(std::uint64_t task) {
    if (count_ >= slots_.size() / 2) grow();
    Slot& slot = slots_[place(task)];
    if (slot.number == 0) slot = {task, ++count_};
    return slot.number;
  }
  // 0: not there.
  std::uint32_t find(std::uint64_t task) const noexcept { return slots_[place(task)].number; }
  std::uint32_t count() const noexcept { return count_; }

 private:
  struct Slot {
    std::uint64_t task = 0;
    std::uint32_t number = 0;
  };

  // Where it is, or would be.
  std::size_t place(std::uint64_t task) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at =
        (task * 0x9e37'79b9'7f4a'7c15U) >> (64 - std::countr_zero(slots_.size()));  // the bits all others reach
    while (slots_[at].number != 0 && slots_[at].task != task) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number != 0) slots_[place(slot.task)] = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two
  std::uint32_t count_ = 0;
};

}  // namespace weir::trace
