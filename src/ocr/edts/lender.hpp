// SPDX-License-Identifier: Apache-2.0

// Lending data blocks of this rank to EDTs of others (blocks/lend.hpp): at once where that is possible, else by EDTs of
// the library's own, which wait for the block as any EDT does.
#pragma once

#include <cstddef>
#include <span>

#include "ocr/graph/local.hpp"
#include "ocr/mail/mail.hpp"

namespace weir::ocr {

// On the thread that performs what others ask.
Answer answer_borrow(Local& local, Rank from, Reader& body);
Answer answer_taken(Local& local, Reader& body);
Answer answer_give_back(Local& local, Rank from, Reader& body);

// ---- For a checkpoint, while the program stands still ----

// An EDT that waits for a block to lend it, or is about to: another rank's EDT will ask for it again.
bool is_lender(const Edt& edt) noexcept;
// What an EDT that waits for its place is to write to a block; `block`: null when that is none of them.
struct ComingBack {
  Guid block;
  std::span<const std::byte> contents;
};
ComingBack coming_back(Edt& edt) noexcept;

}  // namespace weir::ocr
