// SPDX-License-Identifier: Apache-2.0

// EdtBlocks: the blocks that an EDT's slots bring it, as the data layer sees them (tiers.hpp). The thread that holds
// the EDT, at the time, uses it.
#pragma once

#include "ocr/blocks/tiers.hpp"
#include "ocr/objects/edt.hpp"
#include "runtime/spawn_hooks.hpp"

namespace weir::ocr {

struct BlockLocal;

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
  bool asked_ = false;  // for the blocks; written by the thread that holds the EDT
};

// Null while blocks are not tracked, and of EDTs made before.
EdtBlocks* blocks_of(Edt& edt) noexcept;
// A new EDT with slots gets its EdtBlocks, when blocks are tracked.
void prepare_blocks(BlockLocal& local, Edt& edt);
// A block satisfies a slot: from now on it is known ahead that the EDT will need it.
void announce(BlockLocal& local, Slot& slot, Edt& edt, Guid block);
// The slot's block is acquired, or will not be.
void forget_announced(BlockLocal& local, Slot& slot, Block& block) noexcept;
// The EDT holds all its blocks: they are in place, or it has asked for them. Before it is submitted.
void stage_blocks(BlockLocal& local, Edt& edt);
void end_use(Edt& edt, Block& block) noexcept;
// Why the EDT cannot have its blocks; ok when it has them.
base::Status blocks_failure(Edt& edt) noexcept;

}  // namespace weir::ocr
