// SPDX-License-Identifier: Apache-2.0

// An OCR program over two ranks, whose mistakes are on rank 1: `undeclared` reads a block there that the EDT does not
// have, of `unordered` two EDTs write one block at a time, an EDT of `released` touches a block that it has given up.
// `sound` makes none: what EDTs of rank 0 do is ordered by one of rank 1. Nor do `back` and `through`, where that makes
// the later one, with all that it needs, or an EDT that makes it.
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "ocr/extensions/ocr-affinity.h"
#include "ocr/ocr.h"

namespace {

constexpr ocrGuid_t kNull = NULL_GUID_INITIALIZER;
constexpr u64 kBytes = 80'000;  // too long for one message

ocrHint_t on_rank(u64 rank) {
  u64 count = 0;
  ocrGuid_t affinity = kNull;
  ocrHint_t hint;
  ocrAffinityCount(AFFINITY_PD, &count);
  ocrAffinityGetAt(AFFINITY_PD, rank * (count / 2), &affinity);
  ocrHintInit(&hint, OCR_HINT_EDT_T);
  ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(affinity));
  return hint;
}

struct Made {
  ocrGuid_t edt = kNull, output = kNull;
};
template <int kSlots>
Made make(ocrGuid_t of, u64 rank, u16 properties = EDT_PROP_NONE) {
  ocrHint_t hint = on_rank(rank);
  Made made;
  ocrEdtCreate(&made.edt, of, 0, nullptr, kSlots, nullptr, properties, &hint, &made.output);
  return made;
}

ocrGuid_t add_one(u32, u64*, u32, ocrEdtDep_t depv[]) {
  static_cast<u64*>(depv[0].ptr)[0] += 1;
  return kNull;
}
ocrGuid_t do_nothing(u32, u64*, u32, ocrEdtDep_t*) { return kNull; }
ocrGuid_t print_and_end(u32, u64*, u32, ocrEdtDep_t depv[]) {
  std::printf("%llu\n", static_cast<unsigned long long>(static_cast<u64*>(depv[0].ptr)[0]));
  ocrShutdown();
  return kNull;
}

u64* kept = nullptr;
ocrGuid_t keep(u32, u64*, u32, ocrEdtDep_t*) {
  ocrGuid_t block = kNull;
  void* data = nullptr;
  ocrDbCreate(&block, &data, kBytes, DB_PROP_NONE, nullptr, NO_ALLOC);
  kept = static_cast<u64*>(data);
  kept[5] = 5;
  ocrDbRelease(block);
  return kNull;
}
ocrGuid_t read_kept(u32, u64*, u32, ocrEdtDep_t*) {
  volatile u64 seen = kept[5];  // FINDS undeclared
  static_cast<void>(seen);
  return kNull;
}

// Two EDTs of its rank write to a block there.
ocrGuid_t make_two(u32, u64*, u32, ocrEdtDep_t*) {
  ocrGuid_t block = kNull, of;
  void* data = nullptr;
  ocrDbCreate(&block, &data, kBytes, DB_PROP_NONE, nullptr, NO_ALLOC);
  std::memset(data, 0, kBytes);
  ocrDbRelease(block);
  ocrEdtTemplateCreate(&of, add_one, 0, 1);
  for (int i = 0; i < 2; ++i) ocrAddDependence(block, make<1>(of, 1).edt, 0, DB_MODE_RW);
  return kNull;
}

ocrGuid_t touch_released(u32, u64*, u32, ocrEdtDep_t depv[]) {
  auto* const data = static_cast<volatile u64*>(depv[0].ptr);
  ocrDbRelease(depv[0].guid);
  data[1] = 5;  // FINDS released
  return kNull;
}

void make_ready(ocrEdt_t function, u64 rank, u32 slots, ocrGuid_t* depv) {
  ocrGuid_t of = kNull, made = kNull;
  ocrHint_t hint = on_rank(rank);
  ocrEdtTemplateCreate(&of, function, 0, slots);
  ocrEdtCreate(&made, of, 0, nullptr, slots, depv, EDT_PROP_NONE, &hint, nullptr);
}

ocrGuid_t carried = kNull;  // on rank 0
ocrGuid_t end_with_carried(u32, u64*, u32, ocrEdtDep_t*) {
  make_ready(print_and_end, 0, 1, &carried);
  return kNull;
}
void look_at(const ocrEdtDep_t& block) {
  volatile u64 seen = static_cast<u64*>(block.ptr)[0];
  static_cast<void>(seen);
}
ocrGuid_t go_back(u32, u64*, u32, ocrEdtDep_t depv[]) {
  look_at(depv[0]);
  make_ready(print_and_end, 0, 1, &depv[0].guid);
  return kNull;
}
ocrGuid_t go_back_through(u32, u64*, u32, ocrEdtDep_t depv[]) {
  look_at(depv[0]);
  make_ready(end_with_carried, 0, 0, nullptr);
  return kNull;
}

void after(ocrGuid_t event, ocrGuid_t edt, u32 slot) { ocrAddDependence(event, edt, slot, DB_MODE_NULL); }

// The block is written on rank 0, on rank 1 and, after an EDT of rank 1 that has no block, on rank 0 again.
void chain(ocrGuid_t block, ocrGuid_t last) {
  ocrGuid_t adds, nothing;
  ocrEdtTemplateCreate(&adds, add_one, 0, 2);
  ocrEdtTemplateCreate(&nothing, do_nothing, 0, 1);
  const Made here = make<2>(adds, 0), there = make<2>(adds, 1), idle = make<1>(nothing, 1), again = make<2>(adds, 0);
  after(again.output, last, 1);
  after(idle.output, again.edt, 1);
  after(there.output, idle.edt, 0);
  after(here.output, there.edt, 1);
  for (const Made& made : {again, there, here}) ocrAddDependence(block, made.edt, 0, DB_MODE_RW);
  after(kNull, here.edt, 1);
}

}  // namespace

extern "C" ocrGuid_t mainEdt(u32, u64*, u32, ocrEdtDep_t depv[]) {
  const char* const what = ocrGetArgc(depv[0].ptr) == 2 ? ocrGetArgv(depv[0].ptr, 1) : "";
  ocrGuid_t block = kNull, ends, keeps, reads, two;
  void* data = nullptr;
  ocrDbCreate(&block, &data, kBytes, DB_PROP_NONE, nullptr, NO_ALLOC);
  std::memset(data, 0, kBytes);
  ocrDbRelease(block);
  if (std::strcmp(what, "back") == 0 || std::strcmp(what, "through") == 0) {
    carried = block;
    make_ready(what[0] == 'b' ? go_back : go_back_through, 1, 1, &block);
    return kNull;
  }
  ocrEdtTemplateCreate(&ends, print_and_end, 0, 3);
  ocrEdtTemplateCreate(&keeps, keep, 0, 1);
  ocrEdtTemplateCreate(&reads, read_kept, 0, 1);
  ocrEdtTemplateCreate(&two, make_two, 0, 1);
  const Made last = make<3>(ends, 0);
  ocrAddDependence(block, last.edt, 0, DB_MODE_RO);
  if (std::strcmp(what, "undeclared") == 0) {
    const Made keeping = make<1>(keeps, 1), reading = make<1>(reads, 1);
    after(reading.output, last.edt, 2);
    after(keeping.output, reading.edt, 0);
    after(kNull, keeping.edt, 0);
  } else if (std::strcmp(what, "unordered") == 0) {
    const Made making = make<1>(two, 1, EDT_PROP_FINISH);
    after(making.output, last.edt, 2);
    after(kNull, making.edt, 0);
  } else if (std::strcmp(what, "released") == 0) {
    ocrGuid_t touches;
    ocrEdtTemplateCreate(&touches, touch_released, 0, 1);
    const Made touching = make<1>(touches, 1);
    after(touching.output, last.edt, 2);
    ocrAddDependence(block, touching.edt, 0, DB_MODE_RW);
  } else {
    after(kNull, last.edt, 2);
  }
  chain(block, last.edt);
  return kNull;
}
