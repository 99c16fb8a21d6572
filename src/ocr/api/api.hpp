// SPDX-License-Identifier: Apache-2.0

// What the C entry points have in common: they find the caller's Local, translate GUIDs, and turn exceptions into
// codes.
#pragma once

#include <new>

#include "ocr/graph/local.hpp"
#include "ocr/ocr.h"

namespace weir::ocr {

// f(Local&) gives a code. OCR_EPERM: no OCR program runs, or this thread cannot be part of it.
template <class F>
u8 in_program(F&& f) noexcept {
  Local* const caller = local();
  if (caller == nullptr) return OCR_EPERM;
  try {
    return f(*caller);
  } catch (const std::bad_alloc&) {
    return OCR_ENOMEM;
  }
}

}  // namespace weir::ocr
