// SPDX-License-Identifier: Apache-2.0

// Data blocks of other ranks, which EDTs of this one acquire: what is asked of their home, and what comes back
// (lent.hpp).
#pragma once

#include "ocr/blocks/loan.hpp"
#include "ocr/graph/local.hpp"
#include "ocr/mail/mail.hpp"

namespace weir::ocr {

// The EDT waits for the block: it may have it, and run, when this returns.
void borrow(const Local& local, Edt& edt, Guid block, std::uint8_t mode);

}  // namespace weir::ocr
