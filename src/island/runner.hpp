// SPDX-License-Identifier: Apache-2.0

// Runner: runs a task from its letter: makes its footprint fresh, calls it, writes back what it wrote. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "island/children.hpp"
#include "island/memory.hpp"
#include "island/message.hpp"

namespace weir::island {

class Runner {
 public:
  // `checked`: memory in which writes beside the footprint are looked for; empty: none.
  Runner(SharedMemory& memory, std::span<const std::byte> checked) noexcept : memory_(memory), checked_(checked) {}

  // The letter has a callable. `thrown`: the text of what it threw, cut to what a letter takes.
  Done run(std::span<const std::byte> letter, std::string& thrown);
  // What the last task has made, unless it has thrown (children.hpp).
  std::span<const std::byte> children() const noexcept { return children_.bytes(); }
  // Of the task that runs.
  void spawn(const detail::Callable& callable, std::span<const Access> footprint, const char* name, const void* site) {
    children_.add(codes_, callable, footprint, name, site, footprint_);
  }

 private:
  void open(const TaskHead& head, std::span<const std::byte> rest);
  template <class F>
  void for_each_line(Mode mode, F f);
  void call(const TaskHead& head, Done& done, std::string& thrown);

  struct alignas(detail::kMaxAlignment) Aligned {
    std::array<std::byte, 256> bytes;
  };

  SharedMemory& memory_;
  std::span<const std::byte> checked_;
  CodeNames codes_;
  Children children_;
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
