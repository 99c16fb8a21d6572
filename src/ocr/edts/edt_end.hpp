// SPDX-License-Identifier: Apache-2.0

// The end of an EDT, with all in its scope.
#pragma once

#include "ocr/objects/edt.hpp"

namespace weir::ocr {

struct Local;

// The EDT has ended, and all EDTs in its scope: its output event gets what it returned.
void finish_edt(Local& local, Edt& edt);
// An EDT that another rank has made, which has ended with all that it made, or will never run.
void satisfy_stand_in(Local& local, Edt& edt);

}  // namespace weir::ocr
