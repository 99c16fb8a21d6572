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
// The running EDT holds it, in mode RW and where the others that hold it allow that, as if it had made it: it has
// waited for it in ocrLegacyBlockProgress(). Nothing when it holds it already. In any case it is in place, at `data`.
u8 hold_for_running(BlockLocal& local, Block& block, std::byte*& data);
// A copy of a block elsewhere that the running EDT has made (`is_new`), or waited for: it holds it until it releases
// it.
void hold_copy(Run& run, Block& copy, bool is_new) noexcept;
// The running EDT, which made the block, holds it no more.
void release_created(BlockLocal& local, Run& creator, Block& block);
// The running EDT holds it no more, in whichever way it did.
void release_holding(BlockLocal& local, Run& run, const Holding& held);

}  // namespace weir::ocr
