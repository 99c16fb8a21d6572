// SPDX-License-Identifier: Apache-2.0

// Presence: which processes that share a file or a device live, by the kernel's word: each holds the lock of one byte,
// which is free when its process has ended, however it did. Needs no parent and no process number that may be used
// again.
//
// The locks are a process's: forked children have none, and closing any descriptor of the file loses them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace weir::island {

class Presence {
 public:
  static constexpr std::uint32_t kMaster = 0;         // the place of the master; worker i has i, from 1 on
  static constexpr std::uint32_t kAllAttached = ~0u;  // the master has it, too, once all workers have theirs

  // The descriptor stays the caller's, open as long as this is used.
  explicit Presence(int descriptor) noexcept : descriptor_(descriptor) {}

  // False: another process has the place, or the file takes no locks. It lasts until the process ends.
  [[nodiscard]] bool take(std::uint32_t place) const noexcept;
  // The process that has it, 0 where its number is not known here; none: nobody, of other processes.
  std::optional<pid_t> holder(std::uint32_t place) const noexcept;

 private:
  int descriptor_;
};

}  // namespace weir::island
