// SPDX-License-Identifier: Apache-2.0

// What main() does for a program that defines mainEdt().
#pragma once

#include "ocr/ocr.h"

namespace weir::ocr {

// Starts OCR with what the arguments and the configuration say, runs main_edt on the first rank, unless the program
// goes on from a checkpoint, and waits for the end. The status of the program.
int run_main(ocrEdt_t main_edt, int argc, char** argv);

}  // namespace weir::ocr
