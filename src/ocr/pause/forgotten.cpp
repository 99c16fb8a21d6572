// SPDX-License-Identifier: Apache-2.0

#include "ocr/pause/forgotten.hpp"

#include "ocr/observe/complain.hpp"
#include "ocr/pause/everywhere.hpp"
#include "ocr/program/pause_api.hpp"

namespace weir::ocr {

void end_forgotten_pause(ObjectLocal& local, const Edt& edt) {
  if (local.program.shutting_down() || !is_paused_by(local)) return;
  complain(edt, "has returned without ocrResume() after its ocrPause(), and EDTs begin again: call it in the same EDT");
  resume_everywhere(local);
}

}  // namespace weir::ocr
