// SPDX-License-Identifier: Apache-2.0

// What else is done with objects of other ranks, most of all events: looking at one, waiting for it, contributing to
// it, making one whose label another rank has reserved; and what another rank asks of this one. Any thread that has a
// Local and does not perform what others ask.
#pragma once

#include "ocr/graph/far.hpp"

namespace weir::ocr {

// On this rank.
Sight see_here(Guid object) noexcept;
// Wherever it is.
Sight see(Guid object);

// Whether there is an object of that kind. Asks the rank of one elsewhere: for what is an error anyway.
inline bool exists(Kind kind, Guid object) { return object.kind() == kind && see(object).kind == kind; }

// Waits, while others run EDTs, until the event of another rank is satisfied, and gets what it brings. 0 or an error
// code.
u8 wait_for_far(Local& local, Guid event, Guid& block);
// ---- Asked by another rank ----

Answer answer_see(Reader& body);
Answer answer_contribute(Local& local, Reader& body);
Answer answer_create_event(Local& local, Reader& body);

}  // namespace weir::ocr
