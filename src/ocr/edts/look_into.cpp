// SPDX-License-Identifier: Apache-2.0

#include "ocr/edts/look_into.hpp"

#include <memory>

#include "ocr/blocks/block.hpp"
#include "ocr/blocks/edt_blocks.hpp"
#include "ocr/edts/library_edt.hpp"
#include "ocr/edts/outside_of_edts.hpp"
#include "ocr/graph/slots.hpp"
#include "ocr/graph/wait.hpp"
#include "ocr/objects/running.hpp"
#include "ocr/observe/checking.hpp"

namespace weir::ocr {

namespace {

enum HandOverParam { kBorrowed, kWaiter, kHandOverParams };

// Slot 0: the block, null when it is gone. What this EDT has of it, the block or a copy, is given to the thread that
// waits: it holds it no more.
ocrGuid_t hand_over(u32, u64* paramv, u32, ocrEdtDep_t[]) {
  auto& waiter = *reinterpret_cast<EventWaiter*>(paramv[kWaiter]);
  const Guid block{paramv[kBorrowed]};
  const Holding held = find_held(*local()->current, block);
  if (held.block != nullptr) {
    if (checking::active()) checking::released(*held.block);
    if (held.block->is_tiered()) end_use(local()->current->edt, *held.block);
    held.slot->state.store(SlotState::released, std::memory_order_relaxed);  // relaxed: the EDT runs here
    waiter.held = held.block;
  }
  wake(waiter, block);
  return to_c({});
}

// An EDT of the library's own acquires the block in mode RW, and hands over what it has then; null when it is gone.
u8 wait_for_block(Local& local, Guid block, Block*& found) {
  std::unique_ptr<EventWaiter> waiter = make_waiter(local);
  Guid edt;
  {
    const OutsideOfEdts outside(local);
    const u64 paramv[kHandOverParams] = {block.bits, reinterpret_cast<u64>(waiter.get())};
    edt = make_library_edt(local, &hand_over, kBorrowerName, paramv, 1);
    if (edt.is_null()) {
      local.program.count_waiting(waiter->in_edt, -1);
      return OCR_ENOMEM;
    }
    static_cast<void>(satisfy_slot(local, edt, 0, block, DB_MODE_RW));  // the slot is open
  }
  if (!wait_for(local, waiter, {WaitedFor::What::block, block, edt.bits})) return OCR_ECANCELED;
  found = waiter->held;
  return 0;
}

}  // namespace

u8 hold_far_block(Local& local, Guid block, Block*& copy) {
  copy = find_held(*local.current, block).block;
  if (copy != nullptr) return 0;
  if (const u8 code = wait_for_block(local, block, copy)) return code;
  if (copy != nullptr) hold_copy(*local.current, *copy, false);
  return 0;
}

u8 wait_for_hold(Local& local, Guid guid, Block*& block, std::byte*& data) {
  block = nullptr;
  if (const u8 code = wait_for_block(local, guid, block)) return code;
  return block == nullptr ? u8{0} : take_over_hold(local, *block, data);
}

}  // namespace weir::ocr
