// SPDX-License-Identifier: Apache-2.0

// TaskNumbers: what is known of tasks beside that they ran: their numbers, who made them, what they come after.
//
// Those that have run are forgotten when they are told to be, so that it grows with the tasks that are unfinished. One
// thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace weir::tool::convert {

class TaskNumbers {
 public:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  static constexpr std::size_t kMostAfter = 16;  // edges of a task that are kept, the others are counted

  struct Known {
    std::uint32_t number = 0;          // from 1, in the order in which they are asked for
    std::uint32_t made_on = kNobody;   // track
    std::uint32_t edges = 0;           // tasks that it comes after
    std::vector<std::uint32_t> after;  // the first ones' numbers
    std::uint64_t footprint = 0;       // word of its event; 0: none
  };

  Known& of(std::uint64_t task) {
    Known& known = known_[task];
    if (known.number == 0) known.number = ++numbers_;
    return known;
  }
  void edge(std::uint64_t from, std::uint64_t to) {
    const std::uint32_t before = of(from).number;
    Known& known = of(to);
    ++known.edges;
    if (known.after.size() < kMostAfter) known.after.push_back(before);
  }
  void forget(std::uint64_t task) { known_.erase(task); }

 private:
  std::unordered_map<std::uint64_t, Known> known_;
  std::uint32_t numbers_ = 0;
};

}  // namespace weir::tool::convert
