// SPDX-License-Identifier: Apache-2.0

// Hints: their values, and the hint of a template. What they mean for EDTs and blocks is in graph/edt_hint.hpp and
// blocks/block_hint.hpp, the functions of the API on them in api/hint.cpp.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ocr/objects/guid.hpp"

namespace weir::ocr {

// Where the property's value is in a hint of that type; -1 when it is of another.
int hint_index(const ocrHint_t& hint, int property) noexcept;
std::uint64_t& hint_slot(ocrHint_t& hint, int index) noexcept;
// What is set in `from` is set in `into`, which is of the same type.
void merge_hint(ocrHint_t& into, const ocrHint_t& from) noexcept;
// The value of a property that is set; else `otherwise`.
std::uint64_t hint_value(const ocrHint_t& hint, ocrHintProp_t property, std::uint64_t otherwise) noexcept;
// The rank of an affinity's hint value; -1 when it is none.
int rank_of_hint(std::uint64_t value) noexcept;
// The domain of one of this rank; -1 when it is none.
int domain_of_hint(std::uint64_t value) noexcept;

// OCR 1.0 passed an affinity, of any rank, where the API has a hint now. Its GUID is no address, which distinguishes
// the two.
inline bool is_affinity(const ocrHint_t* hint) noexcept {
  return Guid{reinterpret_cast<std::uintptr_t>(hint)}.kind() == Kind::affinity;
}
ocrHint_t hint_of_affinity(const ocrHint_t* affinity, ocrHintType_t type) noexcept;

// A template's hint, which may be set while others make EDTs of the template: these read it without a lock. In memory
// that is of this type for ever; zeroed, it has no values.
class TemplateHint {
 public:
  bool empty() const noexcept { return mask_.load(std::memory_order_relaxed) == 0; }  // any thread
  // The hint as it was before or after a merge(). Any thread.
  ocrHint_t read() const noexcept;
  // Adds what is set in `hint`, which is one of EDTs. Under the lock of the template's word.
  void merge(const ocrHint_t& hint) noexcept;
  // Before any thread has the GUID.
  void clear() noexcept { mask_.store(0, std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kValues = OCR_HINT_EDT_PROP_END - OCR_HINT_EDT_PROP_START - 1;
  // HINT-1: acquire and release, each of them. Written by merge().
  std::atomic<std::uint64_t> version_{0};  // odd while a merge goes on
  std::atomic<u64> mask_{0};
  std::array<std::atomic<u64>, kValues> values_{};
};

}  // namespace weir::ocr
