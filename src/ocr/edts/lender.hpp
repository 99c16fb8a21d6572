// SPDX-License-Identifier: Apache-2.0

// Lending data blocks of this rank to EDTs of others (blocks/lend.hpp): at once where that is possible, else by EDTs of
// the library's own, which wait for the block as any EDT does.
#pragma once

#include "ocr/graph/local.hpp"
#include "ocr/mail/mail.hpp"

namespace weir::ocr {

// On the thread that performs what others ask.
Answer answer_borrow(Local& local, Rank from, Reader& body);
Answer answer_taken(Local& local, Reader& body);
Answer answer_give_back(Local& local, Rank from, Reader& body);

}  // namespace weir::ocr
