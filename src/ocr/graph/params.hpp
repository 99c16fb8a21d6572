// SPDX-License-Identifier: Apache-2.0

// ocrEventParams_t as the program sees it with all extensions, read field by field: a program that was compiled with
// fewer has a smaller one.
#pragma once

#ifndef ENABLE_EXTENSION_PARAMS_EVT
#error "src/ocr is compiled with all ENABLE_EXTENSION_*"
#endif

#include <cstdint>

#include "ocr/ocr.h"

namespace weir::ocr {

inline std::uint64_t latch_counter(const void* params) noexcept {
  return static_cast<const ocrEventLatchParams_t*>(params)->counter;
}
inline std::uint64_t counted_dependences(const void* params) noexcept {
  return static_cast<const ocrEventCounterParams_t*>(params)->nbDeps;
}

}  // namespace weir::ocr
