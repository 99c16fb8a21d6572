// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/slots.hpp"

#include "ocr/blocks/edt_blocks.hpp"
#include "ocr/graph/acquire.hpp"
#include "ocr/graph/edt_hint.hpp"
#include "ocr/graph/far.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/observe/checking.hpp"
#include "ocr/observe/tracing.hpp"

namespace weir::ocr {

void arrive(Local& local, Edt& edt) {
  // SLOT-1: release publishes this slot, acquire makes the others visible to the last, which goes on.
  const std::uint32_t before = edt.body().missing.fetch_sub(1, std::memory_order_acq_rel);
  if (before == 1) return acquire_blocks(local, edt);
  if (before == Edt::kDestroyed + 1) free_edt(local, edt);
}

void free_edt(Local& local, Edt& edt) noexcept {
  if (runtime::TaskData* const of = blocks_of(edt)) {
    of->finish();
    for (Slot& slot : edt.slots()) {
      if ((slot.flags & Slot::kNamed) != 0) forget_announced(local, slot, *blocks().find(Guid{slot.value}.index()));
    }
  }
  drop_hint(edt);
  forget_label(edt);
  local.worker->abandon(&edt.task());
}

bool try_hold_back(Edt& edt) noexcept {
  std::atomic<std::uint32_t>& all = edt.body().missing;
  std::uint32_t missing = all.load(std::memory_order_relaxed);  // relaxed: the exchange says whether it still is so
  while (missing != 0)
    if (all.compare_exchange_weak(missing, missing + 1, std::memory_order_acq_rel)) return true;  // SLOT-1
  return false;
}

void satisfy(Local& local, Slot& slot, Guid block) {
  if (!block.is_null() && local.tiers.tracked()) [[unlikely]]
    announce(local, slot, Edt::of(slot), block);
  slot.value = block.bits;
  if (checking::active()) [[unlikely]]
    checking::needed_by(Edt::of(slot));
  slot.state.store(SlotState::satisfied, std::memory_order_relaxed);  // SLOT-1: before arrive()
  if (local.worker->track() != nullptr) [[unlikely]]
    trace_satisfied(local, Edt::of(slot), block);
  arrive(local, Edt::of(slot));
}

u8 satisfy_slot(Local& local, Guid guid, std::uint32_t index, Guid block, std::uint8_t mode) {
  if (!block.is_null() && !may_be_block(block)) return OCR_EINVAL;
  Edt* const edt = find_edt(guid);
  if (edt == nullptr && is_far(guid)) return satisfy_far(guid, index, block, mode);
  if (edt == nullptr || index >= edt->depc()) return OCR_EINVAL;
  Slot& slot = edt->body().slots()[index];
  if (!try_claim(slot)) return OCR_EPERM;
  slot.mode = mode;
  if (checking::active()) checking::used(local, block);
  satisfy(local, slot, block);
  return 0;
}

}  // namespace weir::ocr
