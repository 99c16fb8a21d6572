// SPDX-License-Identifier: Apache-2.0

// Data blocks of this rank that EDTs of other ranks acquire: they get copies.
//
// A copy to read (RO, CONST) is of the block as it is when it is lent, and nothing is held for it afterwards: what
// others write later is not seen. A copy to write (RW, EW) is held here in mode EW until it comes back, so it is the
// only one that is written. Long contents are read by the other rank where they lie, and held here until it has. Any
// thread that has a BlockLocal.
#pragma once

#include <cstddef>
#include <span>

#include "ocr/blocks/block_local.hpp"
#include "ocr/blocks/lending_mode.hpp"
#include "ocr/blocks/loan.hpp"
#include "ocr/mail/bytes.hpp"

namespace weir::ocr {

// What is sent is appended to `message`.

// False: it cannot without waiting, so an EDT has to acquire the block first: others hold it, or it may not be in
// memory.
[[nodiscard]] bool try_lend(BlockLocal& local, const Loan& loan, Writer& message);
// The running EDT has acquired the block, at `data`, in the mode for lending, and does not hold it any more.
void lend_held(BlockLocal& local, const Loan& loan, const std::byte* data, Writer& message);
// The other rank has the contents that lay here.
void end_offer(BlockLocal& local, const Taken& taken);
// What was written comes back, before the hold ends. False: it cannot without waiting; nothing was done.
[[nodiscard]] bool try_end_loan(BlockLocal& local, Guid guid, std::span<const std::byte> contents);
// The same, of the running EDT, which may wait for the block's place. 0 or a code.
u8 end_loan(BlockLocal& local, Guid guid, std::span<const std::byte> contents);

}  // namespace weir::ocr
