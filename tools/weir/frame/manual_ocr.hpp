// SPDX-License-Identifier: Apache-2.0

// The manual pages of what Weir has for OCR: weir-ocr(7), the library, and weir-ocrcc(1), the compiler wrapper.
#pragma once

#include <string>

namespace weir::tool {

std::string ocr_page();
std::string ocrcc_page();

}  // namespace weir::tool
