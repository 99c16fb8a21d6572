// SPDX-License-Identifier: Apache-2.0

// Data blocks of this rank that EDTs of other ranks acquire: they get copies.
//
// A copy to read (RO, CONST) is of the block as it is when it is lent, and nothing is held for it afterwards: what
// others write later is not seen. A copy to write (RW, EW) is held here in mode EW until it comes back, so it is the
// only one that is written. Any thread that has a BlockLocal.
#pragma once

#include <cstddef>
#include <span>

#include "ocr/blocks/block_local.hpp"
#include "ocr/blocks/lending_mode.hpp"
#include "ocr/mail/bytes.hpp"

namespace weir::ocr {

enum class Lent : std::uint8_t {
  yes,
  no_such_block,
  later,  // an EDT has to acquire it first: others hold it, or it may not be in memory
};
// The contents are appended; does not wait.
Lent try_lend(BlockLocal& local, Guid guid, std::uint8_t mode, Writer& contents);
// The running EDT, which has acquired the block in the mode for lending, does not hold it any more. A block that is to
// be written stays held, for the rank that has the copy, until end_loan().
void begin_loan(BlockLocal& local, Guid guid);
// What was written comes back, before the hold ends. False: it cannot without waiting; nothing was done.
[[nodiscard]] bool try_end_loan(BlockLocal& local, Guid guid, std::span<const std::byte> contents);
// The same, of the running EDT, which may wait for the block's place. 0 or a code.
u8 end_loan(BlockLocal& local, Guid guid, std::span<const std::byte> contents);

}  // namespace weir::ocr
