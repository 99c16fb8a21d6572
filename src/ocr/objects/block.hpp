// SPDX-License-Identifier: Apache-2.0

// Block: a data block: its memory, which EDTs hold it in which mode, and which wait for it.
//
// RO holders exclude no others. RW, CONST and EW exclude one another, and EW itself and RO newcomers, too. When the
// last of RW, CONST or EW has released it, waiting EDTs are served: all RW, else the first EW, else all CONST; RO with
// any but EW. All fields are guarded by the lock in `word`, but what never changes; memory is freed when the block was
// destroyed, nothing holds it or counts on its place, and nothing waits for it. Where it lives: blocks/tiers.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/shown.hpp"
#include "ocr/objects/guid.hpp"
#include "ocr/objects/hold.hpp"
#include "ocr/objects/object.hpp"
#include "ocr/objects/origin.hpp"
#include "runtime/blocks.hpp"

namespace weir::sched {
struct Task;
}

namespace weir::ocr {

class Edt;
class BlockHeap;
// A pool of memory for small blocks, see blocks/block_memory.hpp.
using PoolId = std::uint16_t;

inline std::uint32_t version_after(std::uint32_t version) noexcept { return version + 1 == 0 ? 1 : version + 1; }

struct Block {
  ObjectWord word;
  // A small block's address; of others their data::Block, and the low bit; 0: given up.
  base::Shown<std::uintptr_t> memory;
  std::uint64_t size;
  // Counts that are tested together and changed one by one lie apart: a compiler reads neighbours as one word, and such
  // a load waits until the store of one of them is in the cache.
  std::uint32_t strong;  // holders in strong_mode; without memory: one, who has its label and looks for memory for it
  std::uint8_t strong_mode;
  // When it is brought to where an EDT can use it.
  enum class Fetch : std::uint8_t { usual, eager, lazy } fetch : 2;
  bool no_hint : 1;
  bool is_copy : 1;         // of a block of another rank: see blocks/copies.hpp
  bool keeps_contents : 1;  // until a checkpoint has them: see blocks/keeping.hpp
  std::uint16_t domain;
  std::uint32_t weak;                         // holders in mode RO
  std::uint32_t version;                      // never 0: counts holds that wrote, also in the entry's earlier lives
  sched::Task *first_waiting, *last_waiting;  // EDTs that wait for it, linked by Task::next
  Edt* creator;                               // that holds it since it made it; null: none
  Block *created_before, *created_next;       // in the creator's list; the order keeps loads of Run apart, as above
  const EdtKind* maker;
  BlockHeap* heap;                   // owned; null: ocrDbMalloc() is not possible
  ocrHint_t* hint;                   // owned
  std::unique_ptr<Hold> hold;        // of its creator; null: counted by the store
  std::uint32_t named;               // slots and pins that count on its memory without holding it
  PoolId pool;                       // of a small block
  std::atomic<bool> pinned_outside;  // by a thread outside of EDTs; relaxed: the thread that sets it knows the block
  Block* next_free;

  static constexpr std::uintptr_t kTiered = 1;
  bool is_tiered() const noexcept { return (memory & kTiered) != 0; }
  std::byte* small() const noexcept { return reinterpret_cast<std::byte*>(memory.get()); }
  // Where one is that stays. Relaxed: the caller holds it there (docs/protocols/blocks.md, Addresses).
  std::byte* fixed() const noexcept {
    return is_tiered() ? static_cast<std::byte*>(tier().address.load(std::memory_order_relaxed)) : small();
  }
  data::Block& tier() const noexcept { return *reinterpret_cast<data::Block*>(memory & ~kTiered); }

  // What was written so far is of another version: see blocks/copies.hpp.
  void note_written() noexcept { version = version_after(version); }

  Guid guid() const noexcept { return word.guid(Kind::block); }
};
static_assert(sizeof(Block) <= 128);

// How the data layer is to treat a block that is held in this mode of OCR's.
inline Mode mode_for(std::uint8_t mode) noexcept {
  switch (mode) {
    case DB_MODE_RW: return Mode::concurrent;
    case DB_MODE_EW: return Mode::inout;
    default: return Mode::in;
  }
}

}  // namespace weir::ocr
