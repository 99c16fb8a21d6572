// SPDX-License-Identifier: Apache-2.0

// BlockLocal: what this layer keeps per worker: its cache of memory for small blocks.
//
// As for ProgramLocal, the thread that is the worker uses it, and no other.
#pragma once

#include "ocr/blocks/block_memory.hpp"
#include "ocr/observe/observe_local.hpp"

namespace weir::ocr {

class Tiers;

struct BlockLocal : ObserveLocal {
  BlockLocal(sched::Worker& w, Program& p, Tiers& t, BlockPools& pools, PoolId usual)
      : ObserveLocal(w, p), tiers(t), pool(usual), memory(pools, *this) {}

  Tiers& tiers;
  const PoolId pool;  // of small blocks without a hint
  BlockMemory memory;

  // What the layer above is notified of: an EDT that waited for the block holds it now.
  virtual void on_granted(Edt& edt, Block& block) = 0;
  // The thread is about to wait for room, which EDTs have that have not begun: if it has paused the program, others run
  // until on_room(). Whether it has.
  virtual bool on_wait_for_room() = 0;
  virtual void on_room(bool was_paused) = 0;

 protected:
  ~BlockLocal() = default;
};

}  // namespace weir::ocr
