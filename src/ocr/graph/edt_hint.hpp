// SPDX-License-Identifier: Apache-2.0

// What hints mean for EDTs: where they run, and how soon. Any thread, unless a function says otherwise.
#pragma once

#include "ocr/objects/edt.hpp"

namespace weir::ocr {

struct ProgramLocal;

// The EDT's own hint. The thread that makes it and one that gives it hints may both be the first to need it. Throws
// std::bad_alloc.
ocrHint_t& hint_of(Edt& edt);
// No thread finds the EDT any more, so relaxed.
inline void drop_hint(Edt& edt) noexcept {
  if (edt.is_bare()) return;
  delete edt.body().hint.load(std::memory_order_relaxed);
  edt.body().hint.store(nullptr, std::memory_order_relaxed);
}

// The EDT is being made: keeps its hint for ocrGetHint(), and places it.
void apply_hint(const ProgramLocal& local, Edt& edt, const ocrHint_t& hint);
// Both of one that has a GUID: under the lock of its word, and the second only before it is ready.
void keep_hint(Edt& edt, const ocrHint_t& hint);
void place_by_hint(const ProgramLocal& local, Edt& edt, const ocrHint_t& hint) noexcept;
// What a bare EDT was given after it was made: it is ready, and has no place for it.
void keep_late_hint(Guid edt, const ocrHint_t& hint);
ocrHint_t late_hint(Guid edt);
// All EDTs are gone.
void forget_late_hints() noexcept;

}  // namespace weir::ocr
