// SPDX-License-Identifier: Apache-2.0

#include "ocr/blocks/keeping.hpp"

#include "ocr/blocks/block.hpp"

namespace weir::ocr {

bool can_keep_contents(const Block& block) noexcept {
  return block.word.alive() && (block.strong == 0 || block.strong_mode == DB_MODE_CONST);
}

// KEEP-1: EDTs see the hold under the lock under which they would take theirs.
void keep_contents(Block& block) noexcept {
  block.word.lock_held();
  ++block.strong;
  block.strong_mode = DB_MODE_CONST;
  block.keeps_contents = true;
  block.word.unlock();
}

void end_keeping(BlockLocal& local, Block& block) {
  block.word.lock_held();
  block.keeps_contents = false;
  release_locked(local, block, DB_MODE_CONST);
}

}  // namespace weir::ocr
