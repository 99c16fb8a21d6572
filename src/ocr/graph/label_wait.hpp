// SPDX-License-Identifier: Apache-2.0

// Waiting for labels: threads that wait until a label's object is made, or given up. Any thread that has a Local, its
// own. objects/label.hpp says how both sides meet (LABEL-1).
#pragma once

#include <memory>

#include "ocr/graph/local.hpp"

namespace weir::ocr {

// What implements ObjectLocal's functions of the same meaning.
void on_label_taken(Local& local, Guid label);
void on_label_made(Local& local, Guid label);
void on_label_left(Guid label) noexcept;
// When the object is given up, or made, the event of another rank is satisfied: the thread there looks again.
void tell_when_left(Guid label, Guid event);
// The event is gone.
void do_not_tell(Guid label, Guid event) noexcept;
std::unique_ptr<LabelWatch> watch_label(Local& local, Guid label);

// The runtime is gone, and all that waited.
void forget_label_waits() noexcept;

}  // namespace weir::ocr
