// SPDX-License-Identifier: Apache-2.0

// Where an EDT runs that no hint has placed: in the domain where most of the bytes are that it acquires.
#pragma once

#include "ocr/objects/edt.hpp"

namespace weir::ocr {

struct ProgramLocal;

// Before it becomes ready. Does nothing on a machine of one domain.
void place(const ProgramLocal& local, Edt& edt);

}  // namespace weir::ocr
