// SPDX-License-Identifier: Apache-2.0

// What placing a task on a worker process knows, and what choosing one for it does.
#pragma once

#include <cstdint>
#include <span>

namespace weir::island::policy {

struct Snapshot {
  std::span<const std::uint32_t> queued;  // by worker: tasks that it has been given and has not ended
  std::uint32_t most = 0;                 // that a worker is given at a time
  std::uint32_t next = 0;                 // the worker whose turn it is
};

struct ReadyTasks {
  std::span<const std::uint16_t> after;  // by task: where the predecessor ran that was released last
  std::uint16_t nothing = 0;             // stands there for a task that had none
  std::uint16_t worker = 0;              // who gets one
};

}  // namespace weir::island::policy
