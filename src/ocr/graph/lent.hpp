// SPDX-License-Identifier: Apache-2.0

// A data block of another rank that an EDT of this one waits for has been lent, or does not exist. On the thread that
// performs what others ask.
#pragma once

#include "ocr/graph/borrow.hpp"

namespace weir::ocr {

Answer answer_lent(Local& local, Rank from, Reader& body);
Answer answer_is_back(Reader& body);

}  // namespace weir::ocr
