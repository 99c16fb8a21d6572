// SPDX-License-Identifier: Apache-2.0

// Block: a data block: its memory, who holds it in which mode, and who waits for it.
//
// RO holders exclude nobody. RW, CONST and EW exclude one another, and EW itself and RO newcomers, too. When the last
// of RW, CONST or EW has released it, waiting EDTs are served: all RW, else the first EW, else all CONST; RO with any
// but EW. All fields are guarded by the lock in `word`, but what never changes; memory is freed when the block was
// destroyed, nobody holds it or counts on its place, and nobody waits for it. Where it lives: tiers.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/shown.hpp"
#include "ocr/edt.hpp"
#include "ocr/guid.hpp"
#include "ocr/object.hpp"
#include "ocr/tiers.hpp"

namespace weir::ocr {

class BlockHeap;

struct Block {
  ObjectWord word;
  // A small block's address; of others their data::Block, and the low bit; 0: given up.
  base::Shown<std::uintptr_t> memory;
  std::uint64_t size;
  std::uint32_t strong;  // holders in strong_mode
  std::uint32_t weak;    // holders in mode RO
  std::uint8_t strong_mode;
  bool no_hint : 1, eager : 1, lazy : 1;
  std::uint16_t domain;
  sched::Task *first_waiting, *last_waiting;  // EDTs that wait for it, linked by Task::next
  Edt* creator;                               // that holds it since it made it; null: none
  Block *created_next, *created_before;       // in the creator's list
  const EdtKind* maker;
  BlockHeap* heap;                   // owned; null: ocrDbMalloc() is not possible
  ocrHint_t* hint;                   // owned
  std::unique_ptr<Hold> hold;        // of its creator; null: counted by the store
  std::uint32_t named;               // slots and pins that count on its memory without holding it
  PoolId pool;                       // of a small block
  std::atomic<bool> pinned_outside;  // by a thread outside of EDTs; relaxed: who made it so knows of the block first
  Block* next_free;

  static constexpr std::uintptr_t kTiered = 1;
  bool is_tiered() const noexcept { return (memory & kTiered) != 0; }
  std::byte* small() const noexcept { return reinterpret_cast<std::byte*>(memory.get()); }
  // Of one that stays.
  std::byte* fixed() const noexcept {
    return is_tiered() ? static_cast<std::byte*>(tier().address.load(std::memory_order_relaxed)) : small();
  }
  data::Block& tier() const noexcept { return *reinterpret_cast<data::Block*>(memory & ~kTiered); }

  Guid guid() const noexcept { return word.guid(Kind::block); }
};
static_assert(sizeof(Block) <= 128);

struct BlockRequest {
  std::uint64_t size;
  std::uint16_t properties;
  const ocrHint_t* hint;
  bool heap;
  bool stays = false;  // in memory: the caller cannot wait for it
};
// Makes a block, held by the running EDT unless it is not to be, or there is none. `guid` is read when labelled.
u8 create_block(Local& local, Guid& guid, const BlockRequest& request, std::byte*& data);
u8 destroy_block(Local& local, Guid guid);
bool block_exists(Guid guid) noexcept;
// Locked: one that counts on its memory less. Unlocks, and gives it up when that was all.
void unname(Local& local, Block& block);

enum class Acquired : std::uint8_t { yes, waits, no_such_block };
// `block` is set unless there is none. waits: the EDT is queued, and acquire_blocks() is called for it later.
Acquired acquire(Guid guid, std::uint8_t mode, Edt& edt, Block*& block);
// A holder in that mode is one no more.
void release(Local& local, Block& block, std::uint8_t mode);
// The running EDT holds it, in mode RW and where the others that hold it allow that, as if it had made it: it has
// waited for it in ocrLegacyBlockProgress(). Nothing when it holds it already. In any case it is in place, at `data`.
u8 hold_for_running(Local& local, Block& block, std::byte*& data);
// The running EDT, which made the block, holds it no more.
void release_created(Local& local, Run& creator, Block& block);

}  // namespace weir::ocr
