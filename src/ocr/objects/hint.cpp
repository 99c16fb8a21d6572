// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/hint.hpp"

#include <thread>

#include "ocr/objects/affinities.hpp"
#include "ocr/objects/home.hpp"

namespace weir::ocr {

namespace {

// The properties of a type are (start, end).
struct Range {
  int start, end;
};
Range properties_of(ocrHintType_t type) noexcept {
  switch (type) {
    case OCR_HINT_EDT_T: return {OCR_HINT_EDT_PROP_START, OCR_HINT_EDT_PROP_END};
    case OCR_HINT_DB_T: return {OCR_HINT_DB_PROP_START, OCR_HINT_DB_PROP_END};
    default: return {0, 0};
  }
}

}  // namespace

int hint_index(const ocrHint_t& hint, int property) noexcept {
  const Range range = properties_of(hint.type);
  return property > range.start && property < range.end ? property - range.start - 1 : -1;
}

std::uint64_t& hint_slot(ocrHint_t& hint, int index) noexcept {
  return hint.type == OCR_HINT_EDT_T ? hint.args.propEDT[index] : hint.args.propDB[index];
}

std::uint64_t hint_value(const ocrHint_t& hint, ocrHintProp_t property, std::uint64_t otherwise) noexcept {
  const int index = hint_index(hint, property);
  if (index < 0 || (hint.propMask >> index & 1) == 0) return otherwise;
  return hint_slot(const_cast<ocrHint_t&>(hint), index);
}

void merge_hint(ocrHint_t& into, const ocrHint_t& from) noexcept {
  const Range range = properties_of(from.type);
  for (int i = 0; i < range.end - range.start - 1; ++i) {
    if ((from.propMask >> i & 1) == 0) continue;
    into.propMask |= std::uint64_t{1} << i;
    hint_slot(into, i) = hint_slot(const_cast<ocrHint_t&>(from), i);
  }
}

int rank_of_hint(std::uint64_t value) noexcept {
  const Guid guid{value};
  return guid.kind() == Kind::affinity ? static_cast<int>(present_rank(guid.generation())) : -1;
}

int domain_of_hint(std::uint64_t value) noexcept {
  const Guid guid = present_affinity({value});
  const bool is_here = guid.kind() == Kind::affinity && guid.generation() == homes().here;
  return is_here ? static_cast<int>(guid.index()) : -1;
}

ocrHint_t hint_of_affinity(const ocrHint_t* affinity, ocrHintType_t type) noexcept {
  ocrHint_t hint{type, 0, {}};
  const int index = hint_index(hint, type == OCR_HINT_EDT_T ? OCR_HINT_EDT_AFFINITY : OCR_HINT_DB_AFFINITY);
  if (index < 0) return hint;  // other types have none
  hint.propMask = std::uint64_t{1} << index;
  hint_slot(hint, index) = reinterpret_cast<std::uintptr_t>(affinity);
  return hint;
}

ocrHint_t TemplateHint::read() const noexcept {
  for (;; std::this_thread::yield()) {
    ocrHint_t hint{OCR_HINT_EDT_T, 0, {}};
    const std::uint64_t version = version_.load(std::memory_order_acquire);  // HINT-1
    hint.propMask = mask_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < kValues; ++i) hint.args.propEDT[i] = values_[i].load(std::memory_order_acquire);
    if (version % 2 == 0 && version_.load(std::memory_order_acquire) == version) return hint;
  }
}

void TemplateHint::merge(const ocrHint_t& hint) noexcept {
  const std::uint64_t version = version_.load(std::memory_order_relaxed);
  ocrHint_t all = read();
  merge_hint(all, hint);
  version_.store(version + 1, std::memory_order_release);  // HINT-1
  mask_.store(all.propMask, std::memory_order_release);
  for (std::size_t i = 0; i < kValues; ++i) values_[i].store(all.args.propEDT[i], std::memory_order_release);
  version_.store(version + 2, std::memory_order_release);
}

}  // namespace weir::ocr
