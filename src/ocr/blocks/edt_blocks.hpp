// SPDX-License-Identifier: Apache-2.0

// The blocks that an EDT's slots bring it, as the data layer sees them (tiers.hpp): in tracked mode an EDT with slots
// has a runtime::TaskData, as every task that waits for data. The thread that holds the EDT, at the time, uses it.
#pragma once

#include "ocr/blocks/tiers.hpp"
#include "ocr/objects/edt.hpp"
#include "runtime/task_data.hpp"

namespace weir::ocr {

struct BlockLocal;

// Null while blocks are not tracked, and of EDTs made before.
runtime::TaskData* blocks_of(Edt& edt) noexcept;
// A new EDT with slots gets its TaskData, when blocks are tracked.
void prepare_blocks(BlockLocal& local, Edt& edt);
// A block satisfies a slot: from now on it is known ahead that the EDT will need it.
void announce(BlockLocal& local, Slot& slot, Edt& edt, Guid block);
// The block of a slot that has Slot::kNamed is acquired, or will not be.
void forget_announced(BlockLocal& local, Slot& slot, Block& block) noexcept;
// The EDT holds all its blocks: they are in place, or it has asked for them. Before it is submitted.
void stage_blocks(BlockLocal& local, Edt& edt);
void end_use(Edt& edt, Block& block) noexcept;
// Why the EDT cannot have its blocks; ok when it has them.
base::Status blocks_failure(Edt& edt) noexcept;

}  // namespace weir::ocr
