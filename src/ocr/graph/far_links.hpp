// SPDX-License-Identifier: Apache-2.0

// Dependences over ranks: to slots of EDTs elsewhere, and what another rank asks of this one (far.hpp). Any thread that
// has a Local; depend_far() not one that performs what others ask.
#pragma once

#include "ocr/graph/far.hpp"

namespace weir::ocr {

// A dependence from an event, wherever it is, to a slot elsewhere that was claimed for it. 0 or an error code.
u8 link_to_far_slot(Local& local, Guid event, const FarSlot& slot, std::uint32_t output);
// A dependence from an event to the slot of an EDT elsewhere.
u8 depend_far(Local& local, Guid event, std::uint32_t output, Guid edt, std::uint32_t slot, std::uint8_t mode);

// ---- Asked by another rank ----

Answer answer_satisfy(Local& local, Reader& body);
Answer answer_satisfy_linked(Local& local, Reader& body);
Answer answer_claim_slot(Reader& body);
Answer answer_give_up_slot(Reader& body);
Answer answer_link(Local& local, Reader& body);

}  // namespace weir::ocr
