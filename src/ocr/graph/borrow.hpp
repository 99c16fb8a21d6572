// SPDX-License-Identifier: Apache-2.0

// Data blocks of other ranks, which EDTs of this one acquire: what is asked of their home, and what comes back
// (lent.hpp).
#pragma once

#include "ocr/graph/local.hpp"
#include "ocr/mail/mail.hpp"

namespace weir::ocr {

// What goes to the block's home.
struct Loan {
  Guid block;
  std::uint64_t edt = 0;  // its address, good until it has the block: it is complete, and does not run
  std::uint8_t mode = 0;
};
// What comes back, with the contents behind it.
struct LoanMade {
  Loan of;
  bool exists = false;
};

// The EDT waits for the block: it may have it, and run, when this returns.
void borrow(Edt& edt, Guid block, std::uint8_t mode);

}  // namespace weir::ocr
