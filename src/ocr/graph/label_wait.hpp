// SPDX-License-Identifier: Apache-2.0

// Waiting for labels: dependences from objects that are not made yet, and threads that wait until a label's object is
// made, or given up. Any thread that has a Local, its own. objects/label.hpp says how both sides meet (LABEL-1).
#pragma once

#include <functional>
#include <memory>

#include "ocr/graph/local.hpp"

namespace weir::ocr {

// The node, a slot's or a link's, becomes a dependent of the label's object when that is made. False: it is there
// already. `output`: as for add_dependent(). Throws std::bad_alloc.
[[nodiscard]] bool try_await_object(Guid label, Node node, std::uint32_t output);

// What implements ObjectLocal's functions of the same meaning.
void on_label_made(Local& local, Guid label);
void on_label_left(Guid label) noexcept;
// When the object is given up, or made, the event of another rank is satisfied: the thread there looks again.
void tell_when_left(Guid label, Guid event);
std::unique_ptr<LabelWatch> watch_label(Local& local, Guid label);

// Calls f with the label, the node and the output of each that waits for an object; for one label oldest first.
void for_each_awaited(const std::function<void(Guid label, Node node, std::uint32_t output)>& f);
// The runtime is gone, and all that waited.
void forget_label_waits() noexcept;

}  // namespace weir::ocr
