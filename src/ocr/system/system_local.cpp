// SPDX-License-Identifier: Apache-2.0

#include "ocr/system/system_local.hpp"

#include "ocr/graph/acquire.hpp"
#include "ocr/graph/far_label.hpp"
#include "ocr/graph/label_wait.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/pause/everywhere.hpp"
#include "ocr/pause/forgotten.hpp"
#include "ocr/program/pause.hpp"

namespace weir::ocr {

void SystemLocal::on_label_taken(Guid label) { ocr::on_label_taken(*this, label); }
void SystemLocal::on_label_made(Guid label) { ocr::on_label_made(*this, label); }
void SystemLocal::on_label_left(Guid label) noexcept { ocr::on_label_left(label); }
std::unique_ptr<LabelWatch> SystemLocal::watch_label(Guid label) {
  return is_far(label) ? watch_far_label(*this, label) : ocr::watch_label(*this, label);
}
void SystemLocal::on_granted(Edt& edt, Block& block) { block_granted(*this, edt, block); }
bool SystemLocal::on_wait_for_room() { return is_pausing() && suspend_everywhere(*this); }
void SystemLocal::on_room(bool was_paused) {
  if (was_paused) continue_everywhere(*this);
}
void SystemLocal::on_returned(const Edt& edt) { end_forgotten_pause(*this, edt); }

}  // namespace weir::ocr
