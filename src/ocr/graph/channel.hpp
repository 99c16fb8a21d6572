// SPDX-License-Identifier: Apache-2.0

// Channel: what a channel event has besides an Event: satisfactions that no dependence has come for yet.
//
// The k-th satisfaction goes to the k-th dependence. Dependences that came first are the event's dependents. All
// functions: under the lock of the event.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "ocr/objects/event.hpp"

namespace weir::ocr {

struct Channel {
  std::uint32_t most;          // that may wait, on either side
  std::uint32_t waiting = 0;   // dependents of the event
  std::uint64_t met = 0;       // satisfactions that have found their dependences
  std::deque<Guid> satisfied;  // with these blocks, oldest first
};

// Null for parameters that have no meaning.
std::unique_ptr<Channel> make_channel(const void* params);
// OCR_EPERM when there is no room. `ready` is then, or else, the dependent to notify, 0 for none.
u8 channel_satisfied(Event& event, Guid block, Node& ready);
// The node waits, or `ready` is set to it and `block` to what it is satisfied with.
u8 channel_dependent(Event& event, Node node, Node& ready, Guid& block);

}  // namespace weir::ocr
