// SPDX-License-Identifier: Apache-2.0

// Labels, waits, collective events and hints of other ranks.
#include <algorithm>
#include <cstring>
#include <vector>

#include "multi/ocr/bodies.hpp"
#include "ocr/extensions/ocr-labeling.h"
#include "ocr/extensions/ocr-legacy.h"

namespace weir::ocr::multi {

namespace {

constexpr u64 kLabels = 8;

// ---- Sticky events under labels, which both sides make ----

void make_once(ocrGuid_t label) {
  ocrGuid_t made = label;
  const u8 code = ocrEventCreate(&made, OCR_EVENT_STICKY_T, GUID_PROP_CHECK | EVT_PROP_TAKES_ARG);
  expect(code == 0 || code == OCR_EGUIDEXISTS, "one of those that make a label's event has made it");
  expect(word_of(made) == word_of(label), "it has the label");
}

ocrGuid_t receive(u32, u64* paramv, u32, ocrEdtDep_t*) {
  expect(paramv[0] == this_rank(), "an EDT runs on the rank of its hint");
  return kNull;
}

// On each rank: rank r satisfies label r, and an EDT here waits for that of the next rank.
ocrGuid_t exchange(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const ocrGuid_t range = guid_of(paramv[0]);
  const ocrGuid_t mine = label_of(range, this_rank()), next = label_of(range, (this_rank() + 1) % rank_count());
  make_once(mine);
  make_once(next);
  const Made waits = make_edt(this_rank(), &receive, {this_rank()}, 1, nullptr, EDT_PROP_NONE, true);
  expect_code(ocrAddDependence(waits.output, guid_of(paramv[1]), OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL), 0, "latch");
  expect_code(ocrAddDependence(next, waits.edt, 0, DB_MODE_NULL), 0, "ocrAddDependence() from a label's event");
  ocrGuidUserKind kind{};
  expect_code(ocrGetGuidKind(&kind, mine), 0, "ocrGetGuidKind()");
  expect(kind == GUID_USER_EVENT_STICKY, "a label's event has its kind, seen from any rank");
  // Last: all that the program waits for may have ended then.
  expect_code(ocrEventSatisfy(mine, kNull), 0, "ocrEventSatisfy() of a label's event");
  return kNull;
}

ocrGuid_t exchange_all(u32, u64* paramv, u32, ocrEdtDep_t*) {
  ocrGuid_t range = kNull;
  expect_code(ocrGuidRangeCreate(&range, kLabels, GUID_USER_EVENT_STICKY), 0, "ocrGuidRangeCreate()");
  for (u64 rank = 0; rank < rank_count(); ++rank) make_edt(rank, &exchange, {word_of(range), paramv[0]});
  return kNull;
}

void labels() {
  const ocrGuid_t latch = make_latch(rank_count());
  shut_down_after({latch});
  make_edt(rank_count() - 1, &exchange_all, {word_of(latch)});
}
const Named named_labels("labels", &labels);

// ---- A label that is made after others depend on it; maps; an EDT under a label ----

ocrGuid_t second_of_two(ocrGuid_t start, u64 skip, s64* params, s64* tuple) {
  ocrGuid_t label = start;
  return addValueToGuid(label, skip * static_cast<u64>(params[0] * tuple[0] + tuple[1]));
}

ocrGuid_t make_late(u32, u64* paramv, u32, ocrEdtDep_t*) {
  s64 tuple[] = {1, 1};
  ocrGuid_t label = kNull;
  expect_code(ocrGuidFromLabel(&label, guid_of(paramv[0]), tuple), 0, "ocrGuidFromLabel() of a map of another rank");
  expect(word_of(label) == paramv[1], "a map gives the same label on each rank");
  expect_code(ocrEventSatisfy(label, kNull), OCR_EINVAL, "ocrEventSatisfy() of a label without an event");
  expect_code(ocrEventCreate(&label, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED), 0, "ocrEventCreate() under a label");
  expect_code(ocrEventSatisfy(label, kNull), 0, "ocrEventSatisfy()");
  return kNull;
}

ocrGuid_t run_labelled(u32, u64* paramv, u32, ocrEdtDep_t*) {
  ocrGuid_t itself = kNull;
  expect_code(ocrCurrentEdtGet(&itself), 0, "ocrCurrentEdtGet()");
  expect(word_of(itself) == paramv[0], "an EDT has its label");
  expect(this_rank() == 0, "an EDT runs where its label is reserved");
  expect_code(ocrEventSatisfy(guid_of(paramv[1]), kNull), 0, "ocrEventSatisfy()");
  return kNull;
}

ocrGuid_t make_labelled(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const ocrGuid_t of = make_template(&run_labelled, 2, 1);
  ocrGuid_t edt = label_of(guid_of(paramv[0]), 3);
  const ocrGuid_t wanted = edt;
  u64 params[] = {word_of(edt), paramv[1]};
  const auto make = [&] { return ocrEdtCreate(&edt, of, 2, params, 1, nullptr, GUID_PROP_CHECK, nullptr, nullptr); };
  expect_code(make(), 0, "ocrEdtCreate() under a label of another rank");
  expect(word_of(edt) == word_of(wanted), "it has the label");
  expect_code(make(), OCR_EGUIDEXISTS, "ocrEdtCreate() under a label that is taken");
  expect_code(ocrAddDependence(kNull, edt, 0, DB_MODE_NULL), 0, "ocrAddDependence() to a label's EDT");
  return kNull;
}

void late_labels() {
  ocrGuid_t map = kNull, edts = kNull, label = kNull;
  s64 params[] = {5}, tuple[] = {1, 1};
  expect_code(ocrGuidMapCreate(&map, 1, &second_of_two, params, kLabels, GUID_USER_EVENT_STICKY), 0, "a map");
  expect_code(ocrGuidRangeCreate(&edts, kLabels, GUID_USER_EDT), 0, "ocrGuidRangeCreate()");
  expect_code(ocrGuidFromLabel(&label, map, tuple), 0, "ocrGuidFromLabel()");
  const ocrGuid_t once = make_event(OCR_EVENT_ONCE_T);
  const Made near = make_edt(0, &receive, {0}, 1, nullptr, EDT_PROP_NONE, true);
  const Made far = make_edt(rank_count() - 1, &receive, {rank_count() - 1}, 1, nullptr, EDT_PROP_NONE, true);
  shut_down_after({near.output, far.output, once});
  expect_code(ocrAddDependence(label, near.edt, 0, DB_MODE_NULL), 0, "from a label without an event, here");
  expect_code(ocrAddDependence(label, far.edt, 0, DB_MODE_NULL), 0, "from a label without an event, elsewhere");
  make_edt(rank_count() - 1, &make_late, {word_of(map), word_of(label)});
  make_edt(rank_count() - 1, &make_labelled, {word_of(edts), word_of(once)});
}
const Named named_late_labels("late-labels", &late_labels);

ocrGuid_t use_default_map(u32, u64* paramv, u32, ocrEdtDep_t*) {
  s64 params[] = {2}, tuple[] = {2, 1};
  ocrGuid_t label = kNull;
  expect_code(ocrGuidMapSetDefaultMap(1, &second_of_two, params, kLabels, GUID_USER_EVENT_STICKY), 0, "a default map");
  expect_code(ocrGuidMapSetDefaultMap(1, &second_of_two, params, kLabels, GUID_USER_EVENT_STICKY), OCR_EPERM,
              "a second");
  expect_code(ocrGuidFromLabel(&label, kNull, tuple), 0, "ocrGuidFromLabel() of the default map");
  expect_code(ocrEventCreate(&label, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED), 0, "ocrEventCreate() under a label");
  ocrGuid_t range = guid_of(paramv[0]);
  label_of(range, 1);
  expect_code(ocrGuidRangeDestroy(range), 0, "ocrGuidRangeDestroy() of a range of another rank");
  expect_code(ocrGuidRangeDestroy(range), OCR_EINVAL, "ocrGuidRangeDestroy() of one that is gone");
  ocrShutdown();
  return kNull;
}

void default_map() {
  ocrGuid_t range = kNull;
  expect_code(ocrGuidRangeCreate(&range, kLabels, GUID_USER_DB), 0, "ocrGuidRangeCreate()");
  make_edt(rank_count() - 1, &use_default_map, {word_of(range)});
}
const Named named_default_map("default-map", &default_map);

// ---- Waiting inside EDTs ----

ocrGuid_t wait_in_turn(u32, u64* paramv, u32, ocrEdtDep_t*) {
  ocrGuid_t brings = guid_of(paramv[1]);
  expect_code(ocrLegacyBlockProgress(guid_of(paramv[0]), &brings, nullptr, nullptr, LEGACY_PROP_NONE), 0,
              "ocrLegacyBlockProgress() of an event of another rank");
  expect(word_of(brings) == paramv[2], "the event brings what it was satisfied with");
  expect_code(ocrLegacyBlockProgress(guid_of(paramv[3]), nullptr, nullptr, nullptr, LEGACY_PROP_CHECK), OCR_EINVAL,
              "ocrLegacyBlockProgress() that does not wait");
  expect(!ocrLegacyIsChannelReady(guid_of(paramv[4])), "a channel that nothing was put into is not ready");
  expect_code(ocrEventSatisfy(guid_of(paramv[1]), kNull), 0, "ocrEventSatisfy()");
  return kNull;
}

void waits() {
  ocrGuid_t block = kNull, channel = kNull;
  void* data = nullptr;
  expect_code(ocrDbCreate(&block, &data, 64, DB_PROP_NONE, nullptr, NO_ALLOC), 0, "ocrDbCreate()");
  expect_code(ocrDbRelease(block), 0, "ocrDbRelease()");
  ocrEventParams_t params{};
  params.EVENT_CHANNEL = {4, 1, 1};
  expect_code(ocrEventCreateParams(&channel, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &params), 0, "a channel");
  const ocrGuid_t never = make_event(OCR_EVENT_STICKY_T);
  ocrGuid_t before = make_event(OCR_EVENT_STICKY_T);
  const ocrGuid_t first = before;
  for (u64 i = 0; i < 3 * rank_count(); ++i) {
    const ocrGuid_t after = make_event(OCR_EVENT_STICKY_T);
    make_edt(
        i % rank_count(), &wait_in_turn,
        {word_of(before), word_of(after), i == 0 ? word_of(block) : word_of(kNull), word_of(never), word_of(channel)});
    before = after;
  }
  shut_down_after({before});
  expect_code(ocrEventSatisfy(first, block), 0, "ocrEventSatisfy()");
}
const Named named_waits("waits", &waits);

// ---- A sum over all ranks, some times ----

constexpr u64 kSums = 5;

ocrGuid_t check_sum(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  const u64* const sums = static_cast<const u64*>(depv[0].ptr);
  const u64 ranks = rank_count();
  expect(sums != nullptr && sums[0] == ranks * (ranks + 1) / 2 + ranks * paramv[0] && sums[1] == ranks,
         "a collective event has the sum over all ranks");
  return kNull;
}

ocrGuid_t contribute_to(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const ocrGuid_t event = guid_of(paramv[0]);
  const u32 contributor = static_cast<u32>(this_rank());
  for (u64 i = 0; i < kSums; ++i) {
    u64 values[] = {this_rank() + 1 + i, 1};
    const Made checks = make_edt(this_rank(), &check_sum, {i}, 1, nullptr, EDT_PROP_NONE, true);
    expect_code(ocrAddDependence(checks.output, guid_of(paramv[1]), OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL), 0,
                "latch");
    expect_code(ocrAddDependenceSlot(event, contributor, checks.edt, 0, DB_MODE_RO), 0, "ocrAddDependenceSlot()");
    expect_code(ocrEventCollectiveSatisfySlot(event, values, contributor), 0,
                "ocrEventCollectiveSatisfySlot() of an event of another rank");
  }
  return kNull;
}

void sums() {
  ocrEventParams_t params{};
  params.EVENT_COLLECTIVE.maxGen = kSums;
  params.EVENT_COLLECTIVE.nbContribs = static_cast<u32>(rank_count());
  params.EVENT_COLLECTIVE.nbContribsPd = 1;
  params.EVENT_COLLECTIVE.nbDatum = 2;
  params.EVENT_COLLECTIVE.op = REDOP_U8_ADD;
  params.EVENT_COLLECTIVE.type = COL_ALLREDUCE;
  ocrGuid_t event = kNull;
  expect_code(ocrEventCreateParams(&event, OCR_EVENT_COLLECTIVE_T, EVT_PROP_TAKES_ARG, &params), 0,
              "a collective event");
  const ocrGuid_t latch = make_latch(kSums * rank_count());
  shut_down_after({latch});
  for (u64 rank = 0; rank < rank_count(); ++rank) make_edt(rank, &contribute_to, {word_of(event), word_of(latch)});
}
const Named named_sums("sums", &sums);

// ---- Hints ----

ocrGuid_t give_hints(u32, u64* paramv, u32, ocrEdtDep_t*) {
  ocrHint_t hint, read;
  u64 value = 0;
  expect_code(ocrHintInit(&hint, OCR_HINT_EDT_T), 0, "ocrHintInit()");
  expect_code(ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, 7), 0, "ocrSetHintValue()");
  expect_code(ocrSetHint(guid_of(paramv[0]), &hint), 0, "ocrSetHint() of an EDT of another rank");
  expect_code(ocrGetHint(guid_of(paramv[0]), &read), 0, "ocrGetHint() of an EDT of another rank");
  expect_code(ocrGetHintValue(&read, OCR_HINT_EDT_PRIORITY, &value), 0, "ocrGetHintValue()");
  expect(value == 7, "an EDT has the hint that another rank has given it");
  expect_code(ocrSetHint(guid_of(paramv[1]), &hint), OCR_EINVAL, "ocrSetHint() of an event, for an EDT");
  ocrShutdown();
  return kNull;
}

void hints() {
  const Made never = make_edt(0, &receive, {0}, 1);
  make_edt(rank_count() - 1, &give_hints, {word_of(never.edt), word_of(make_event(OCR_EVENT_ONCE_T))});
}
const Named named_hints("hints", &hints);

// ---- Hints of a template that another rank knows already ----

ocrGuid_t run_hinted(u32, u64* paramv, u32, ocrEdtDep_t*) {
  expect(paramv[0] == this_rank(), "an EDT runs where the hint of its template has said when it was made");
  expect_code(ocrEventSatisfySlot(guid_of(paramv[1]), kNull, OCR_EVENT_LATCH_DECR_SLOT), 0, "ocrEventSatisfySlot()");
  return kNull;
}

void make_hinted(const u64* paramv, u64 rank) {
  u64 params[] = {rank, paramv[1]};
  ocrGuid_t made = kNull;
  expect_code(ocrEdtCreate(&made, guid_of(paramv[0]), 2, params, 0, nullptr, EDT_PROP_NONE, nullptr, nullptr), 0,
              "ocrEdtCreate()");
}

void place_template(const u64* paramv, u64 rank) {
  ocrHint_t hint = on_rank(rank);
  expect_code(ocrSetHint(guid_of(paramv[0]), &hint), 0, "ocrSetHint() of a template");
}

ocrGuid_t make_on_last(u32, u64* paramv, u32, ocrEdtDep_t*) {
  make_hinted(paramv, rank_count() - 1);
  return kNull;
}

// On the template's rank.
ocrGuid_t place_on_last(u32, u64* paramv, u32, ocrEdtDep_t*) {
  place_template(paramv, rank_count() - 1);
  make_edt(rank_count() - 1, &make_on_last, {paramv[0], paramv[1]});
  return kNull;
}

// On the last rank.
ocrGuid_t place_on_first(u32, u64* paramv, u32, ocrEdtDep_t*) {
  make_hinted(paramv, rank_count() - 1);
  place_template(paramv, 0);
  make_hinted(paramv, 0);
  make_edt(0, &place_on_last, {paramv[0], paramv[1]});
  return kNull;
}

void template_hints() {
  const ocrGuid_t latch = make_latch(3);
  shut_down_after({latch});
  make_edt(rank_count() - 1, &place_on_first, {word_of(make_template(&run_hinted, 2, 0)), word_of(latch)});
}
const Named named_template_hints("template-hints", &template_hints);

// ---- Workers ----

// On each rank in turn. Params: the workers of those before.
ocrGuid_t name_workers(u32 paramc, u64* paramv, u32, ocrEdtDep_t*) {
  std::vector<u64> seen(paramv, paramv + paramc);
  ocrGuid_t worker = kNull;
  ocrCurrentWorkerGuid(&worker);
  expect(std::find(seen.begin(), seen.end(), word_of(worker)) == seen.end(), "workers of two ranks have two GUIDs");
  seen.push_back(word_of(worker));
  if (seen.size() == rank_count())
    ocrShutdown();
  else
    make_edt(seen.size(), &name_workers, seen);
  return kNull;
}

void worker_guids() { make_edt(0, &name_workers, {}); }
const Named named_worker_guids("worker-guids", &worker_guids);

}  // namespace

}  // namespace weir::ocr::multi
