// SPDX-License-Identifier: Apache-2.0

// Runner: runs a task from its letter: makes its footprint fresh, calls it, writes back what it wrote. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "island/memory.hpp"
#include "island/message.hpp"

namespace weir::island {

class Runner {
 public:
  // `checked`: memory in which writes beside the footprint are looked for; empty: none.
  Runner(SharedMemory& memory, std::span<const std::byte> checked) noexcept : memory_(memory), checked_(checked) {}

  // The letter has a callable. `thrown`: the text of what it threw, cut to what a letter takes.
  Done run(std::span<const std::byte> letter, std::string& thrown);

 private:
  void open(const TaskHead& head, std::span<const std::byte> rest);
  void call(const TaskHead& head, Done& done, std::string& thrown);

  struct alignas(detail::kMaxAlignment) Aligned {
    std::array<std::byte, 256> bytes;
  };

  SharedMemory& memory_;
  std::span<const std::byte> checked_;
  CodeNames codes_;
  std::vector<Access> footprint_;  // of the task that runs
  void* function_ = nullptr;       // its callable: in small_ or large_
  Aligned small_{};
  std::vector<Aligned> large_;
};

// True within a task on an island, and all the time in a worker process.
bool in_worker() noexcept;
// This process is a worker.
void become_worker() noexcept;

}  // namespace weir::island
