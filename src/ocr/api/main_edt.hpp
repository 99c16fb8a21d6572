// SPDX-License-Identifier: Apache-2.0

// mainEdt() of a program, in C++ that does not declare it extern "C", or else as C calls it. Of main() only.
//
// Both names have a definition in the library, weak and in an object of its own each: a linker takes it only when
// neither an object nor a library of the program, archive or shared, has that name.
#pragma once

#include "ocr/ocr.h"

namespace weir::ocr {

ocrEdt_t cxx_main_edt() noexcept;

}  // namespace weir::ocr
