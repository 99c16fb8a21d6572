// SPDX-License-Identifier: Apache-2.0

// Blocks whose contents stay as they are while a checkpoint has them written: it holds them in mode CONST, so that EDTs
// that write them do not begin, and others do.
#pragma once

#include "ocr/blocks/block_local.hpp"

namespace weir::ocr {

// Whether nothing holds it that may write it. While no EDT runs (Halt), and so does the next.
bool can_keep_contents(const Block& block) noexcept;
void keep_contents(Block& block) noexcept;
// Any thread that has a BlockLocal, once: EDTs that wait for it may begin, and it may be gone.
void end_keeping(BlockLocal& local, Block& block);

}  // namespace weir::ocr
