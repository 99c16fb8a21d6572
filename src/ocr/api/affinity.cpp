// SPDX-License-Identifier: Apache-2.0

// Affinities: one per domain of the runtime.
#include "ocr/extensions/ocr-affinity.h"

#include "ocr/api/api.hpp"
#include "ocr/objects/hint.hpp"
#include "runtime/workers.hpp"

using namespace weir::ocr;

namespace {

ocrGuid_t affinity(std::uint64_t domain) noexcept {
  return to_c(Guid::make(Kind::affinity, 0, static_cast<std::uint32_t>(domain)));
}

int here(const Local& local) noexcept { return local.worker->domain(); }

// How many there are; the first of them.
u64 count_of(const Local& local, ocrAffinityKind kind, u64& first) noexcept {
  first = 0;
  switch (kind) {
    case AFFINITY_PD: return static_cast<u64>(local.worker->scheduler().domain_count());
    case AFFINITY_CURRENT:
    case AFFINITY_GUID: first = static_cast<u64>(here(local)); return 1;
    case AFFINITY_PD_MASTER: return 1;
    default: return 0;
  }
}

// The domain, or where the caller is when there is no such.
int existing(const Local& local, int domain) noexcept {
  return domain < 0 || domain >= local.worker->scheduler().domain_count() ? here(local) : domain;
}

int domain_of(const Local& local, Guid guid) noexcept {
  switch (guid.kind()) {
    case Kind::affinity: return existing(local, domain_of_hint(guid.bits));
    case Kind::block: {
      const Block* const block = find_object(blocks(), Kind::block, guid);
      return block == nullptr ? here(local) : block->domain;
    }
    case Kind::edt: {
      ocrHint_t hint;
      const u64 wanted = ocrGetHint(to_c(guid), &hint) == 0 ? hint_value(hint, OCR_HINT_EDT_AFFINITY, 0) : 0;
      return existing(local, domain_of_hint(wanted));
    }
    default: return here(local);
  }
}

}  // namespace

extern "C" {

u8 ocrAffinityCount(ocrAffinityKind kind, u64* count) {
  if (count == nullptr) return OCR_EINVAL;
  return in_program([&](Local& local) -> u8 {
    u64 first;
    *count = count_of(local, kind, first);
    return *count == 0 ? OCR_EINVAL : 0;
  });
}

u8 ocrAffinityGet(ocrAffinityKind kind, u64* count, ocrGuid_t* affinities) {
  if (count == nullptr || affinities == nullptr) return OCR_EINVAL;
  return in_program([&](Local& local) -> u8 {
    u64 first;
    const u64 all = count_of(local, kind, first);
    if (all == 0) return OCR_EINVAL;
    if (*count > all) *count = all;
    for (u64 i = 0; i < *count; ++i) affinities[i] = affinity(first + i);
    return 0;
  });
}

u8 ocrAffinityGetAt(ocrAffinityKind kind, u64 idx, ocrGuid_t* out) {
  if (out == nullptr) return OCR_EINVAL;
  return in_program([&](Local& local) -> u8 {
    u64 first;
    if (idx >= count_of(local, kind, first)) return OCR_EINVAL;
    *out = affinity(first + idx);
    return 0;
  });
}

u8 ocrAffinityGetCurrent(ocrGuid_t* out) { return ocrAffinityGetAt(AFFINITY_CURRENT, 0, out); }

u8 ocrAffinityQuery(ocrGuid_t guid, u64* count, ocrGuid_t* affinities) {
  if (affinities == nullptr) return OCR_EINVAL;
  return in_program([&](Local& local) -> u8 {
    if (count != nullptr && *count == 0) return 0;
    affinities[0] = affinity(static_cast<u64>(domain_of(local, from_c(guid))));
    if (count != nullptr) *count = 1;
    return 0;
  });
}

u64 ocrAffinityToHintValue(ocrGuid_t value) { return from_c(value).bits; }

}  // extern "C"
