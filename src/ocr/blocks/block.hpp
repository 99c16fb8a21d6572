// SPDX-License-Identifier: Apache-2.0

// Making and destroying blocks, and holding them in a mode (objects/block.hpp says which admits which). Any thread that
// has a BlockLocal, its own.
#pragma once

#include "ocr/blocks/block_local.hpp"

namespace weir::ocr {

struct BlockRequest {
  std::uint64_t size;
  std::uint16_t properties;
  const ocrHint_t* hint;
  bool heap;
  bool stays = false;       // in memory: the caller cannot wait for it
  bool shares_slab = true;  // when small; making a slab may wait
  bool is_lent = false;     // to an EDT of another rank, which writes it, from when it can be found on
};
// Makes a block, held by the running EDT unless it is not to be, or there is none. `guid` is read when labelled.
u8 create_block(BlockLocal& local, Guid& guid, const BlockRequest& request, std::byte*& data);
u8 destroy_block(BlockLocal& local, Guid guid);

enum class Acquired : std::uint8_t { yes, waits, no_such_block };
// Of the EDT, the block that it waits for next (EdtBody::acquired). `block` is set unless there is none. waits: the EDT
// is queued, and BlockLocal::on_granted() is called for it later.
Acquired acquire(const BlockLocal& local, Edt& edt, std::uint8_t mode, Block*& block);
// The same of no EDT, which is not queued.
Acquired try_acquire(Guid guid, std::uint8_t mode);
// A holder in that mode is one no more.
void release(BlockLocal& local, Block& block, std::uint8_t mode);
// The same of a block of this rank, which is locked before and unlocked afterwards.
void release_locked(BlockLocal& local, Block& block, std::uint8_t mode);

// ---- Blocks that the running EDT has waited for in ocrLegacyBlockProgress(). It holds them in mode RW until it
// releases them, as if it had made them. ----

// The block is in place, at `data`; one that the EDT holds already, in whichever mode, stays as it is. OCR_EAGAIN:
// others hold it in a way that does not allow that. `block`: null when it is gone. 0 or a code.
u8 hold_for_running(BlockLocal& local, Guid guid, Block*& block, std::byte*& data);
// A hold in mode RW that an EDT of the library has had for the running one is that one's. 0 or a code: it is given up.
u8 take_over_hold(BlockLocal& local, Block& block, std::byte*& data);
// Those that another EDT has made, or waited for as well; at the end of the running one.
void release_waited(BlockLocal& local, Run& run);
// A copy of a block elsewhere that the running EDT has made (`is_new`), or waited for: it holds it until it releases
// it.
void hold_copy(Run& run, Block& copy, bool is_new) noexcept;
// The running EDT, which made the block, holds it no more.
void release_created(BlockLocal& local, Run& creator, Block& block);
// The running EDT holds it no more, in whichever way it did.
void release_holding(BlockLocal& local, Run& run, const Holding& held);

}  // namespace weir::ocr
