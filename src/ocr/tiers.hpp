// SPDX-License-Identifier: Apache-2.0

// Tiers: where data blocks live. Small ones lie in slabs that stay in memory; the others are blocks of the data layer,
// admitted, fetched and evicted with the EDTs that depend on them, as the C++ API's blocks are with its tasks.
//
// While all blocks fit in fast memory (the store is not tracked) an EDT only counts that it holds a block. From then on
// it has a data::Request: a block enters it when it satisfies a slot, which is what is known ahead of the EDT, and the
// EDT is admitted when it holds all its blocks in the sense of OCR (acquire.cpp). An EDT that makes a block holds it by
// a request of its own, which comes before those of EDTs that have not begun; it waits until there is room, and runs no
// other EDT meanwhile, which might want room on top of its own. One Tiers per System; any thread.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "data/store.hpp"
#include "ocr/block_memory.hpp"
#include "ocr/guid.hpp"
#include "runtime/runtime_state.hpp"
#include "runtime/spawn_hooks.hpp"
#include "sched/task.hpp"

namespace weir::ocr {

class Edt;
struct Block;
struct Local;
struct Run;
struct Slot;

// What keeps one block in place for a thread, beside the EDTs' footprints.
struct Hold {
  data::Request request;
  bool done = false;                     // guarded by Tiers::waiting_mutex
  std::vector<data::Block*> beside;      // while it waits: what its EDT holds besides
  std::unique_ptr<std::byte[]> scratch;  // instead: the program ended before there was room, and the EDT runs on
};

// A block that is in place for a thread that has not acquired it: it was waited for, or made outside of EDTs. It counts
// in Block::named.
struct Pin {
  Block* block;
  Guid guid;
  std::unique_ptr<Hold> hold;  // null: counted by the store
  const Local* thread;         // that asked for it
};

// Where a block is to be: of its hint.
struct Place {
  int domain;
  data::Wish wish;
};

class Tiers {
 public:
  // Opens the runtime's tiers. Throws weir::Error.
  explicit Tiers(runtime::State& state);
  // The store is gone.
  ~Tiers();
  Tiers(const Tiers&) = delete;
  Tiers& operator=(const Tiers&) = delete;

  data::Store& store() noexcept { return store_; }
  BlockPools& pools() noexcept { return *pools_; }
  bool tracked() const noexcept { return store_.tracked(); }
  PoolId pool_of(const Place& place) const noexcept;
  // Null when no tier has room for it; the first time, standard error says why.
  data::Block* make(std::uint64_t bytes, const Place& place, const char* name) noexcept;
  // What the slabs of small blocks take of the tiers: never given back.
  std::uint64_t bytes_of_slabs() noexcept;
  int machine_domain(int domain) const noexcept { return scheduler_.machine_domain(domain); }

  // Of threads that wait for room, all of them.
  std::mutex waiting_mutex;
  std::condition_variable waiting;

  // Of threads outside of EDTs.
  std::mutex outside_mutex;
  std::vector<Pin> outside;  // guarded by outside_mutex

 private:
  std::byte* make_slab(PoolId pool) noexcept;

  sched::Scheduler& scheduler_;
  data::Store& store_;
  std::unique_ptr<BlockPools> pools_;
  struct Slab {
    std::unique_ptr<data::Block> block;
    std::unique_ptr<Hold> hold;
  };
  std::vector<Slab> slabs_;  // guarded by slab_mutex_
  std::mutex slab_mutex_;
};

// How the data layer is to treat a block that is held in this mode of OCR's.
Mode mode_for(std::uint8_t mode) noexcept;

// One line on standard error, of the first such failure; the others are counted by the store. The code to return.
u8 tell_no_place(const base::Status& status, const char* what) noexcept;

// ---- Blocks in place for a thread ----

// Brings the block into place and keeps it there until end_hold(). Blocks while there is no room. `hold`: null
// afterwards while blocks are not tracked. 0, OCR_ENOMEM or OCR_EIO (said on standard error).
u8 begin_hold(Local& local, data::Block& block, Mode mode, std::unique_ptr<Hold>& hold);
void end_hold(data::Block& block, std::unique_ptr<Hold> hold) noexcept;
std::byte* address_of(const data::Block& block, const Hold* hold) noexcept;

// The block stays in place for the calling thread although it does not hold it in the sense of OCR: for the running EDT
// until that releases it or ends, outside of EDTs until it is released there or destroyed. 0 or a code.
u8 pin(Local& local, Block& block, Mode mode, std::byte*& address);
// Outside of EDTs.
std::byte* address_outside(const Local& local, const Block& block) noexcept;
bool has_pin(const Run& run, const Block& block) noexcept;
// Of the running EDT, or of threads outside of EDTs. False: there was none of that block.
bool unpin(Local& local, Guid block);
bool unpin_outside(Local& local, Guid block);
void unpin_all(Local& local, Run& run);

// ---- Blocks of an EDT ----

// What an EDT has in tracked mode: its request.
class EdtBlocks final : public runtime::BlockHooks {
 public:
  explicit EdtBlocks(data::Store& store) noexcept : store_(store) {}

  bool on_ready(sched::Worker& worker, sched::Task& task) noexcept override;
  bool try_begin(sched::Worker& worker, sched::Task& task) noexcept override;
  void end(sched::Worker&, sched::Task&) noexcept override {}

  data::Request* request() noexcept override { return has_blocks() ? &request_ : nullptr; }
  data::Request& asks() noexcept { return request_; }
  data::Store& store() noexcept { return store_; }
  bool has_blocks() noexcept { return request_.sequence != 0; }
  // Its blocks may leave; once.
  void finish() noexcept;

 private:
  bool ask(sched::Worker& worker, sched::Task& task) noexcept;

  data::Store& store_;
  data::Request request_;
  bool asked_ = false;  // for the blocks; written by whoever holds the EDT
};

// Null while blocks are not tracked, and of EDTs made before.
EdtBlocks* blocks_of(Edt& edt) noexcept;
// Of a new EDT with slots, when blocks are tracked.
void prepare_blocks(Local& local, Edt& edt);
// A block satisfies a slot: from now on it is known ahead that the EDT will need it.
void announce(Local& local, Slot& slot, Edt& edt, Guid block);
// The slot's block is acquired, or will not be.
void forget_announced(Local& local, Slot& slot, Block& block) noexcept;
// The EDT holds all its blocks: they are in place, or it has asked for them. Before it is submitted.
void stage_blocks(Local& local, Edt& edt);
// Where a block is that the EDT, which runs, has acquired.
std::byte* address_in(const Run& run, const Block& block) noexcept;
void end_use(Edt& edt, Block& block) noexcept;
// Why the EDT cannot have its blocks; ok when it has them.
base::Status blocks_failure(Edt& edt) noexcept;

}  // namespace weir::ocr
