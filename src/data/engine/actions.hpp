// SPDX-License-Identifier: Apache-2.0

// Actions: what an event makes necessary. Whoever drives the engine does it after releasing its lock, and then forgets
// it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/engine/replica.hpp"
#include "data/engine/request.hpp"

namespace weir::data::engine {

struct Actions {
  Transfer* transfers = nullptr;  // to be started, in this order
  Transfer** transfers_end = &transfers;
  Request* staged = nullptr;  // held or failed now: their tasks can run
  Request** staged_end = &staged;
  int lane = 0;  // of the task on whose behalf transfers are started
  std::vector<std::string> warnings;

  Actions() = default;
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  void start(Transfer& transfer) noexcept {
    transfer.next = nullptr;
    *transfers_end = &transfer;
    transfers_end = &transfer.next;
  }
  // Once for each time that the request is held: one that is revoked keeps its place in the scheduler's queue.
  void stage(Request& request) noexcept {
    if (request.revocable && std::exchange(request.in_queue, true)) return;
    request.next_staged = nullptr;
    *staged_end = &request;
    staged_end = &request.next_staged;
  }
  bool empty() const noexcept { return transfers == nullptr && staged == nullptr && warnings.empty(); }
};

}  // namespace weir::data::engine
