// SPDX-License-Identifier: Apache-2.0

// A data block of another rank that an EDT of this one waits for has been lent, or does not exist.
#pragma once

#include "ocr/graph/borrow.hpp"

namespace weir::ocr {

Answer answer_lent(Local& local, Reader& body);

}  // namespace weir::ocr
