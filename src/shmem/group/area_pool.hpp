// SPDX-License-Identifier: Apache-2.0

// AreaPool: which areas of this PE are in use, and how far each has come.
//
// Each PE takes areas of its own for its groups, and the members tell one another which; no two PEs need take the same.
// An area is used again with later steps than it has seen, so that a PE that is still leaving its last group sees
// nothing go backwards. Any thread.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "shmem/group/area.hpp"

namespace weir::shmem {

class AreaPool {
 public:
  struct Taken {
    std::size_t number = 0;
    Step last_step = 0;
  };

  explicit AreaPool(std::size_t areas) : last_steps_(areas) {}

  // Nothing: all are in use.
  std::optional<Taken> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      if (used_ == last_steps_.size()) return std::nullopt;
      return Taken{used_++, 0};
    }
    const std::size_t number = free_.back();
    free_.pop_back();
    return Taken{number, last_steps_[number]};
  }
  void give_back(const Taken& area) {
    const std::lock_guard lock(mutex_);
    last_steps_[area.number] = area.last_step;
    free_.push_back(area.number);
  }

 private:
  std::mutex mutex_;
  std::size_t used_ = 0;  // areas from this one on have never been taken
  std::vector<std::size_t> free_;
  std::vector<Step> last_steps_;
};

}  // namespace weir::shmem
