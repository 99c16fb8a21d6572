// SPDX-License-Identifier: Apache-2.0

// What programs bring about by chance only, done on purpose by functions of the library's own.
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "multi/ocr/bodies.hpp"
#include "ocr/graph/far.hpp"
#include "ocr/graph/local.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/label.hpp"

namespace weir::ocr::multi {

namespace {

// ---- A label that is watched, and not waited for ----

ocrGuid_t look_who_waits(u32, u64*, u32, ocrEdtDep_t*) {
  expect(!are_labels_awaited(), "the home of a label knows nothing of threads that wait for it no more");
  return kNull;
}

ocrGuid_t watch_only(u32, u64* paramv, u32, ocrEdtDep_t*) {
  constexpr int kTimes = 5;
  for (int i = 0; i < kTimes; ++i) local()->watch_label(from_c(guid_of(paramv[0]))).reset();
  const Made looks = make_edt(0, &look_who_waits, {}, 0, nullptr, EDT_PROP_NONE, true);
  expect_code(ocrAddDependence(looks.output, guid_of(paramv[1]), OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL), 0,
              "an output");
  return kNull;
}

void abandoned_watches() {
  ocrGuid_t range = kNull;
  expect_code(ocrGuidRangeCreate(&range, 1, GUID_USER_EVENT_STICKY), 0, "ocrGuidRangeCreate()");
  ocrGuid_t label = label_of(range, 0);
  const u64 word = word_of(label);
  expect_code(ocrEventCreate(&label, OCR_EVENT_STICKY_T, EVT_PROP_NONE | GUID_PROP_CHECK), 0, "a label's event");
  const ocrGuid_t done = make_latch(1);
  shut_down_after({done});
  make_edt(rank_count() - 1, &watch_only, {word, word_of(done)});
}
const Named named_abandoned_watches("abandoned-watches", &abandoned_watches);

// ---- A contribution to an event that takes more than the one before it under its GUID ----

constexpr std::size_t kValues = 64;

u8 contribute_words(Guid event, std::size_t count) {
  static constexpr std::array<u64, kValues> kOnes{1, 1};
  Writer body;
  body.put(Contribution{event, 0, true}).put_bytes(std::as_bytes(std::span(kOnes).first(count)));
  return Mail::running()->ask(home_of(event), Say::contribute, body).code;
}

ocrGuid_t contribute_less(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const Guid event = from_c(guid_of(paramv[0]));
  expect_code(contribute_words(event, 1), OCR_EINVAL, "a contribution of fewer values than the event takes");
  expect_code(contribute_words(event, kValues - 1), OCR_EINVAL, "a contribution of fewer values than the event takes");
  expect_code(contribute_words(event, kValues), 0, "a contribution of as many values as the event takes");
  return kNull;
}

void contributions_of_other_sizes() {
  ocrEventParams_t params{};
  params.EVENT_COLLECTIVE.maxGen = 1;
  params.EVENT_COLLECTIVE.nbContribs = params.EVENT_COLLECTIVE.nbContribsPd = 1;
  params.EVENT_COLLECTIVE.nbDatum = kValues;
  params.EVENT_COLLECTIVE.op = REDOP_U8_ADD;
  params.EVENT_COLLECTIVE.type = COL_ALLREDUCE;
  ocrGuid_t event = kNull;
  expect_code(ocrEventCreateParams(&event, OCR_EVENT_COLLECTIVE_T, EVT_PROP_TAKES_ARG, &params), 0,
              "a collective event");
  shut_down_after(
      {make_edt(rank_count() - 1, &contribute_less, {word_of(event)}, 0, nullptr, EDT_PROP_NONE, true).output});
}
const Named named_contributions("contributions-of-other-sizes", &contributions_of_other_sizes);

// ---- No EDT can be made on rank 0, which is to lend a block, or to take one back ----

// This worker makes no EDT afterwards, and waits for the end of the program.
void use_up_edts_and_wait(ocrGuid_t then) {
  static_cast<void>(edt_entries().reserve(edt_entries().end() - edt_entries().next()));
  expect_code(ocrEventSatisfy(then, kNull), 0, "ocrEventSatisfy()");
  while (!local()->program.shutting_down()) usleep(1000);
}

ocrGuid_t make_block(u64 bytes) {
  ocrGuid_t made = kNull;
  void* data = nullptr;
  expect_code(ocrDbCreate(&made, &data, bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0, "ocrDbCreate()");
  std::memset(data, 1, bytes);
  expect_code(ocrDbRelease(made), 0, "ocrDbRelease()");
  return made;
}

ocrGuid_t hold_and_use_up(u32, u64* paramv, u32, ocrEdtDep_t*) {
  use_up_edts_and_wait(guid_of(paramv[0]));
  return kNull;
}

ocrGuid_t read_what_is_held(u32, u64*, u32, ocrEdtDep_t* depv) {
  expect(depv[1].ptr != nullptr, "a block that is there is lent");
  return kNull;
}

// The block is held when another rank wants it.
void no_memory_to_lend() {
  const ocrGuid_t block = make_block(sizeof(u64)), wanted = make_event(OCR_EVENT_STICKY_T);
  const ocrGuid_t sources[] = {wanted, block};
  make_edt(1, &read_what_is_held, {}, 2, sources);
  make_edt(0, &hold_and_use_up, {word_of(wanted)}, 1, &block);
}
const Named named_no_memory_to_lend("no-memory-to-lend", &no_memory_to_lend);

constexpr u64 kBlockBytes = 128 << 10;

ocrGuid_t write_and_wait(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  std::memset(depv[0].ptr, 2, kBlockBytes);
  expect_code(ocrEventSatisfy(guid_of(paramv[0]), kNull), 0, "ocrEventSatisfy()");
  expect_code(ocrLegacyBlockProgress(guid_of(paramv[1]), nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0,
              "ocrLegacyBlockProgress()");
  return kNull;
}

// More blocks than there is memory: those that were made first are in a file.
ocrGuid_t fill_and_use_up(u32, u64* paramv, u32, ocrEdtDep_t*) {
  constexpr int kBlocks = 40;
  for (int i = 0; i < kBlocks; ++i) make_block(kBlockBytes);
  use_up_edts_and_wait(guid_of(paramv[0]));
  return kNull;
}

// The block was written elsewhere, and its place at home is in a file when it comes back.
void no_memory_to_take_back() {
  const ocrGuid_t block = make_block(kBlockBytes);
  const ocrGuid_t lent = make_event(OCR_EVENT_STICKY_T), filled = make_event(OCR_EVENT_STICKY_T);
  make_edt(0, &fill_and_use_up, {word_of(filled)}, 1, &lent);
  make_edt(1, &write_and_wait, {word_of(lent), word_of(filled)}, 1, &block);
}
const Named named_no_memory_to_take_back("no-memory-to-take-back", &no_memory_to_take_back);

}  // namespace

}  // namespace weir::ocr::multi
