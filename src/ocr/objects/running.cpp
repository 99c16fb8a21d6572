// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/running.hpp"

#include "ocr/objects/block.hpp"

namespace weir::ocr {

Holding find_held(const Run& run, Guid guid) noexcept {
  for (Slot& slot : run.edt.slots())
    if (holds_first(slot) && slot.block().guid() == guid) return {&slot.block(), &slot};
  for (Block* block = run.created; block != nullptr; block = block->created_next)
    if (block->guid() == guid) return {block, nullptr};
  if (run.extra == nullptr) [[likely]]
    return {};
  for (const WaitedHold& each : run.extra->waited)
    if (each.block->guid() == guid) return {each.block, nullptr};
  return {};
}

}  // namespace weir::ocr
