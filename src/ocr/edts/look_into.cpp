// SPDX-License-Identifier: Apache-2.0

#include "ocr/edts/look_into.hpp"

#include <memory>

#include "ocr/blocks/block.hpp"
#include "ocr/edts/library_edt.hpp"
#include "ocr/edts/outside_of_edts.hpp"
#include "ocr/graph/slots.hpp"
#include "ocr/graph/wait.hpp"
#include "ocr/objects/running.hpp"
#include "ocr/observe/checking.hpp"

namespace weir::ocr {

namespace {

enum HandOverParam { kBorrowed, kWaiter, kHandOverParams };

// Slot 0: the block, null when it is gone. The copy is given to the thread that waits: this EDT holds it no more.
ocrGuid_t hand_over(u32, u64* paramv, u32, ocrEdtDep_t[]) {
  auto& waiter = *reinterpret_cast<EventWaiter*>(paramv[kWaiter]);
  const Guid block{paramv[kBorrowed]};
  const Holding held = find_held(*local()->current, block);
  if (held.block != nullptr) {
    if (checking::active()) checking::released(*held.block);
    held.slot->state.store(SlotState::released, std::memory_order_relaxed);  // relaxed: the EDT runs here
    waiter.copy = held.block;
  }
  wake(waiter, block);
  return to_c({});
}

}  // namespace

u8 hold_far_block(Local& local, Guid block, Block*& copy) {
  copy = find_held(*local.current, block).block;
  if (copy != nullptr) return 0;
  std::unique_ptr<EventWaiter> waiter = make_waiter(local);
  {
    const OutsideOfEdts outside(local);
    const u64 paramv[kHandOverParams] = {block.bits, reinterpret_cast<u64>(waiter.get())};
    const Guid edt = make_library_edt(local, &hand_over, kBorrowerName, paramv, 1);
    if (edt.is_null()) {
      local.program.count_waiting(waiter->in_edt, -1);
      return OCR_ENOMEM;
    }
    static_cast<void>(satisfy_slot(local, edt, 0, block, DB_MODE_RW));  // the slot is open, the block of another rank
  }
  if (!wait_for(local, waiter)) return OCR_ECANCELED;
  copy = waiter->copy;
  if (copy != nullptr) hold_copy(*local.current, *copy, false);
  return 0;
}

}  // namespace weir::ocr
