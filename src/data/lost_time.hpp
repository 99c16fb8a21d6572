// SPDX-License-Identifier: Apache-2.0

// LostTime: how long workers had nothing to run while a ready task waited for its blocks. Under the store's lock.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weir::data {

class LostTime {
 public:
  // From `now_ns` on, and until the next call: so many workers, tasks that run and tasks that wait for their blocks.
  void note(std::uint64_t now_ns, std::uint32_t workers, std::uint32_t running, std::uint32_t waiting) noexcept {
    lost_ns_ += lost_workers_ * (now_ns - since_ns_);
    since_ns_ = now_ns;
    const std::uint32_t idle = workers - std::min(workers, running);
    lost_workers_ = std::min(idle, waiting);
  }
  double seconds() const noexcept { return static_cast<double>(lost_ns_) * 1e-9; }

 private:
  std::uint64_t since_ns_ = 0;
  std::uint64_t lost_ns_ = 0;
  std::uint32_t lost_workers_ = 0;  // since since_ns_
};

}  // namespace weir::data
