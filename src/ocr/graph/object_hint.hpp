// SPDX-License-Identifier: Apache-2.0

// Hints of objects that exist, on this rank or another. Any thread that has a Local, but of the first two not one that
// performs what others ask.
#pragma once

#include "ocr/graph/local.hpp"
#include "ocr/mail/mail.hpp"

namespace weir::ocr {

// The object has what is set in `hint` as well. 0 or an error code.
u8 set_hint(Local& local, Guid object, const ocrHint_t& hint);
u8 get_hint(Guid object, ocrHint_t& hint);

// ---- Asked by another rank ----

Answer answer_set_hint(Local& local, Reader& body);
Answer answer_get_hint(Reader& body);

}  // namespace weir::ocr
