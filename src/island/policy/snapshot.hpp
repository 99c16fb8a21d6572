// SPDX-License-Identifier: Apache-2.0

// What placing a task on a worker process knows.
#pragma once

#include <cstdint>
#include <span>

namespace weir::island::policy {

struct Snapshot {
  std::span<const std::uint32_t> queued;  // by worker: tasks that it has been given and has not ended
  std::uint32_t most = 0;                 // that a worker is given at a time
  std::uint32_t next = 0;                 // the worker whose turn it is
};

}  // namespace weir::island::policy
