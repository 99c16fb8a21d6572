// SPDX-License-Identifier: Apache-2.0

// Stall: whether an OCR program over ranks can make no progress any more: no rank has anything to do, and no
// message is on its way. docs/protocols/ocr-ranks.md
#pragma once

#include <cstdint>

#include "ocr/mail/mail.hpp"
#include "ocr/program/program.hpp"

namespace weir::ocr {

// What a rank says of itself.
struct Stillness {
  bool is_still = false;    // it has stood still for a while, and nothing unseen could end that
  std::uint64_t ended = 0;  // EDTs
  Traffic traffic;
  friend bool operator==(const Stillness&, const Stillness&) = default;
};
// On any thread.
Stillness stillness_of(Program& program, const Mail& mail);
// Asks all other ranks, up to the first that does not stand still, and then once more. Not on the thread that performs
// what others ask.
bool all_stand_still(Program& program, Mail& mail);
// The other ranks print what waits there, one after the other.
void report_on_others(Mail& mail);

}  // namespace weir::ocr
