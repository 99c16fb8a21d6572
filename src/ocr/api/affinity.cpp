// SPDX-License-Identifier: Apache-2.0

// Affinities: one for each domain of each rank.
#include "ocr/extensions/ocr-affinity.h"

#include "ocr/api/api.hpp"
#include "ocr/objects/affinities.hpp"
#include "ocr/objects/hint.hpp"
#include "ocr/objects/home.hpp"
#include "runtime/workers.hpp"

using namespace weir::ocr;

namespace {

Guid here(const Local& local) noexcept { return affinity_of(homes().self(), local.worker->domain()); }

u64 count_of(ocrAffinityKind kind) noexcept {
  switch (kind) {
    case AFFINITY_PD: return affinity_count();
    case AFFINITY_CURRENT:
    case AFFINITY_GUID:
    case AFFINITY_PD_MASTER: return 1;
    default: return 0;
  }
}

// Of those of that kind.
Guid at(const Local& local, ocrAffinityKind kind, u64 number) noexcept {
  return kind == AFFINITY_PD || kind == AFFINITY_PD_MASTER ? affinity_at(number) : here(local);
}

// How many numbers mean one: a program that goes on may know of more than there are.
u64 known_count_of(ocrAffinityKind kind) noexcept {
  return kind == AFFINITY_PD ? most_affinities().count : count_of(kind);
}

// That or the one that stands for it; where the caller is when there never was one.
Guid existing(const Local& local, Guid affinity) noexcept {
  const Guid found = present_affinity(affinity);
  return found.is_null() ? here(local) : found;
}

Guid affinity_for(const Local& local, Guid guid) noexcept {
  if (is_far(guid)) return affinity_of(home_of(guid), 0);
  switch (guid.kind()) {
    case Kind::affinity: return existing(local, guid);
    case Kind::block: {
      const Block* const block = find_object(blocks(), Kind::block, guid);
      return block == nullptr ? here(local) : affinity_of(homes().self(), block->domain);
    }
    case Kind::edt: {
      ocrHint_t hint;
      const u64 wanted = ocrGetHint(to_c(guid), &hint) == 0 ? hint_value(hint, OCR_HINT_EDT_AFFINITY, 0) : 0;
      return existing(local, {wanted});
    }
    default: return here(local);
  }
}

}  // namespace

extern "C" {

u8 ocrAffinityCount(ocrAffinityKind kind, u64* count) {
  if (count == nullptr) return OCR_EINVAL;
  return in_program([&](Local&) -> u8 {
    *count = count_of(kind);
    return *count == 0 ? OCR_EINVAL : 0;
  });
}

u8 ocrAffinityGet(ocrAffinityKind kind, u64* count, ocrGuid_t* affinities) {
  if (count == nullptr || affinities == nullptr) return OCR_EINVAL;
  return in_program([&](Local& local) -> u8 {
    const u64 all = count_of(kind);
    if (all == 0) return OCR_EINVAL;
    if (*count > all) *count = all;
    for (u64 i = 0; i < *count; ++i) affinities[i] = to_c(at(local, kind, i));
    return 0;
  });
}

u8 ocrAffinityGetAt(ocrAffinityKind kind, u64 idx, ocrGuid_t* out) {
  if (out == nullptr) return OCR_EINVAL;
  return in_program([&](Local& local) -> u8 {
    if (idx >= known_count_of(kind)) return OCR_EINVAL;
    *out = to_c(at(local, kind, idx % count_of(kind)));
    return 0;
  });
}

u8 ocrAffinityGetCurrent(ocrGuid_t* out) { return ocrAffinityGetAt(AFFINITY_CURRENT, 0, out); }

u8 ocrAffinityQuery(ocrGuid_t guid, u64* count, ocrGuid_t* affinities) {
  if (affinities == nullptr) return OCR_EINVAL;
  return in_program([&](Local& local) -> u8 {
    if (count != nullptr && *count == 0) return 0;
    affinities[0] = to_c(affinity_for(local, from_c(guid)));
    if (count != nullptr) *count = 1;
    return 0;
  });
}

u64 ocrAffinityToHintValue(ocrGuid_t value) { return from_c(value).bits; }

}  // extern "C"
