// SPDX-License-Identifier: Apache-2.0

// Dependences from objects of labels that are not made yet. Any thread. objects/label.hpp says how one that waits and
// one that makes the object meet (LABEL-1).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ocr/objects/event.hpp"
#include "ocr/objects/guid.hpp"

namespace weir::ocr {

// A slot's node or a link's. `output`: as for add_dependent().
struct Awaiting {
  Node node;
  std::uint32_t output;
};

// The node becomes a dependent of the label's object when that is made. False: it is there already. Throws
// std::bad_alloc.
[[nodiscard]] bool try_await_object(Guid label, Node node, std::uint32_t output);
// Those that wait for the object, oldest first, which do so no more: of the thread that makes it.
std::vector<Awaiting> take_awaiting(Guid label);

// Calls f with the label, the node and the output of each that waits for an object; for one label oldest first.
void for_each_awaited(const std::function<void(Guid label, Node node, std::uint32_t output)>& f);
// The runtime is gone, and all that waited.
void forget_awaited() noexcept;

}  // namespace weir::ocr
