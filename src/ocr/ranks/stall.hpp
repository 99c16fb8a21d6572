// SPDX-License-Identifier: Apache-2.0

// Stall: whether an OCR program over ranks can make no progress any more: no rank has anything to do, and no
// message is on its way. docs/protocols/ocr-ranks.md
#pragma once

#include "ocr/mail/stillness.hpp"
#include "ocr/program/program.hpp"

namespace weir::ocr {

// Of this rank: still when it has stood still for a while, and nothing unseen could end that. On any thread.
Stillness stillness_of(Program& program, const Mail& mail);
// Asks all other ranks, up to the first that does not stand still, and then once more. Not on the thread that performs
// what others ask.
bool all_stand_still(Program& program, Mail& mail);
// The other ranks print what waits there, one after the other.
void report_on_others(Mail& mail);

}  // namespace weir::ocr
