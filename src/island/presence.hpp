// SPDX-License-Identifier: Apache-2.0

// Presence: which processes that share a file or a device live, by the kernel's word: each holds the lock of one byte,
// which is free when its process has ended, however it did. Needs no parent and no process number that may be used
// again.
//
// The locks are of a file that is opened for this alone (F_OFD_SETLK): what else the program opens and closes does not
// touch them, and two masters in one process see each other. Children that are forked do not keep them. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace weir::island {

class Presence {
 public:
  static constexpr std::uint32_t kMaster = 0;         // the place of the master; worker i has i, from 1 on
  static constexpr std::uint32_t kAllAttached = ~0u;  // the master has it, too, once all workers have theirs
  static constexpr std::uint32_t kHeadPosted = kAllAttached - 1;  // the master has it once the head is its own

  // Of what the descriptor has open; `name`: by which that is found where there is no /proc.
  explicit Presence(int descriptor, const std::string& name = {});
  // Its places are free.
  ~Presence();
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;

  // False: another one has the place, or the file takes no locks. It lasts as long as this object and its process.
  [[nodiscard]] bool take(std::uint32_t place) const noexcept;
  // Whether another one has it.
  bool is_held(std::uint32_t place) const noexcept;
  // Whether any worker has its place.
  bool has_workers() const noexcept;

 private:
  struct AtFork;
  bool is_held(std::uint32_t first, std::uint32_t places) const noexcept;

  int descriptor_;  // -1: it cannot be opened once more, or this is a child of the process that did
  Presence *next_ = nullptr, *before_ = nullptr;  // of this process; under the lock of AtFork
};

}  // namespace weir::island
