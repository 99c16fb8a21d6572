// SPDX-License-Identifier: Apache-2.0

// What hints mean for EDTs and blocks. The functions of the API on hints are in hint.cpp.
#pragma once

#include <cstdint>

#include "ocr/objects/block.hpp"
#include "ocr/objects/edt.hpp"

namespace weir::ocr {

// Where the property's value is in a hint of that type; -1 when it is of another.
int hint_index(const ocrHint_t& hint, int property) noexcept;
std::uint64_t& hint_slot(ocrHint_t& hint, int index) noexcept;
// What is set in `from` is set in `into`, which is of the same type.
void merge_hint(ocrHint_t& into, const ocrHint_t& from) noexcept;
// The value of a property that is set; else `otherwise`.
std::uint64_t hint_value(const ocrHint_t& hint, ocrHintProp_t property, std::uint64_t otherwise) noexcept;
// The domain of an affinity's hint value; -1 when it is none.
int domain_of_hint(std::uint64_t value) noexcept;

// OCR 1.0 passed an affinity where the API has a hint now. Its GUID is no address, so that it is told from one.
inline bool is_affinity(const ocrHint_t* hint) noexcept {
  const Guid guid{reinterpret_cast<std::uintptr_t>(hint)};
  return guid.kind() == Kind::affinity && guid.generation() == 0;
}
ocrHint_t hint_of_affinity(const ocrHint_t* affinity, ocrHintType_t type) noexcept;

// Where a block with that hint is made.
Place place_of_hint(const Local& local, const ocrHint_t& hint) noexcept;
// Of what does not place it: what is said of prefetching, and what ocrGetHint() tells.
void apply_hint(Block& block, const ocrHint_t& hint);
// The same, of an EDT that is being made, and what places it.
void apply_hint(Edt& edt, const ocrHint_t& hint);
// Both of one that has a GUID: under the lock of its word, and the second only before it is ready.
void keep_hint(Edt& edt, const ocrHint_t& hint);
void place_by_hint(Edt& edt, const ocrHint_t& hint) noexcept;
// What a bare EDT was told after it was made, which is ready, and has no place for it. Any thread.
void keep_late_hint(Guid edt, const ocrHint_t& hint);
ocrHint_t late_hint(Guid edt);
// All EDTs are gone.
void forget_late_hints() noexcept;

}  // namespace weir::ocr
