// SPDX-License-Identifier: Apache-2.0

// The mainEdt() of a program in C++ that does not declare it extern "C". Of main() only.
#pragma once

#include "ocr/ocr.h"

namespace weir::ocr {

// Null when the program has none.
ocrEdt_t cxx_main_edt() noexcept;

}  // namespace weir::ocr
