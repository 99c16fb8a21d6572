// SPDX-License-Identifier: Apache-2.0

// Pauses that an EDT has not ended.
#pragma once

#include "ocr/objects/object_local.hpp"

namespace weir::ocr {

// The EDT's function has returned on the calling thread, whose Local that is. If it has paused the program, and has not
// called ocrResume(), EDTs begin again, on all ranks, and standard error says so.
void end_forgotten_pause(ObjectLocal& local, const Edt& edt);

}  // namespace weir::ocr
