// SPDX-License-Identifier: Apache-2.0

// EDTs, events and finish scopes over ranks.
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "multi/ocr/bodies.hpp"

namespace weir::ocr::multi {

namespace {

constexpr ocrGuid_t kOpen = UNINITIALIZED_GUID_INITIALIZER;

// ---- EDTs are where their hints say ----

ocrGuid_t check_place(u32 paramc, u64* paramv, u32, ocrEdtDep_t*) {
  expect(paramv[0] == this_rank(), "an EDT runs on the rank of its hint");
  ocrGuid_t here = kNull, queried = kNull, itself = kNull;
  expect_code(ocrAffinityGetCurrent(&here), 0, "ocrAffinityGetCurrent()");
  expect(word_of(here) == word_of(affinity_of_rank(this_rank())), "the current affinity is of this rank");
  expect_code(ocrCurrentEdtGet(&itself), 0, "ocrCurrentEdtGet()");
  u64 one = 1;
  expect_code(ocrAffinityQuery(itself, &one, &queried), 0, "ocrAffinityQuery()");
  expect(word_of(queried) == word_of(here), "an EDT's affinity is that of its rank");
  for (u32 i = 1; i < paramc; ++i) expect(paramv[i] == i * 7, "parameters come as they were given");
  return kNull;
}

void places() {
  std::vector<ocrGuid_t> ends;
  for (std::uint64_t rank = 0; rank < rank_count(); ++rank) {
    for (const u64 more : {0, 3, 2000}) {  // the last in several messages
      std::vector<u64> params{rank};
      for (u64 i = 1; i <= more; ++i) params.push_back(i * 7);
      ends.push_back(make_edt(rank, &check_place, params, 1, &kNull, EDT_PROP_NONE, true).output);
    }
  }
  shut_down_after(ends);
}
const Named named_places("places", &places);

// ---- EDTs without slots, whose GUIDs their maker has before they are made ----

constexpr std::size_t kNamed = 500;  // several batches of GUIDs
std::array<u64, kNamed> named_edts;  // of rank 0: as their maker knows them

// On rank 0, after all have been made. Params: which one, its own GUID as it knew it, and the latch.
ocrGuid_t check_name(u32, u64* paramv, u32, ocrEdtDep_t*) {
  expect(named_edts[paramv[0]] == paramv[1], "an EDT has the GUID that its maker has been told");
  expect_code(ocrEventSatisfySlot(guid_of(paramv[2]), kNull, OCR_EVENT_LATCH_DECR_SLOT), 0, "ocrEventSatisfySlot()");
  return kNull;
}

// Params: which one, the event after which names are known, and the latch.
ocrGuid_t know_itself(u32, u64* paramv, u32, ocrEdtDep_t*) {
  ocrGuid_t itself = kNull;
  expect_code(ocrCurrentEdtGet(&itself), 0, "ocrCurrentEdtGet()");
  expect_code(ocrEdtDestroy(itself), OCR_EPERM, "ocrEdtDestroy() of an EDT that runs");
  const ocrGuid_t all_made = guid_of(paramv[1]);
  make_edt(0, &check_name, {paramv[0], word_of(itself), paramv[2]}, 1, &all_made);
  return kNull;
}

// Perhaps before the EDT is made on its rank, perhaps after it has ended.
ocrGuid_t ask_after(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const u8 code = ocrEdtDestroy(guid_of(paramv[0]));
  expect(code == OCR_EPERM || code == OCR_EINVAL, "an EDT that has all it needs is not destroyed");
  return kNull;
}

ocrGuid_t make_named(u32, u64* paramv, u32, ocrEdtDep_t*) {
  for (u64 i = 0; i < kNamed; ++i) {
    const ocrGuid_t made = make_edt(rank_count() - 1, &know_itself, {i, paramv[0], paramv[1]}).edt;
    named_edts[i] = word_of(made);
    if (i % 50 == 0) make_edt(rank_count() / 2, &ask_after, {word_of(made)});
    const u8 code = i % 7 == 0 ? ocrEdtDestroy(made) : u8{OCR_EPERM};
    expect(code == OCR_EPERM || code == OCR_EINVAL, "nor by its maker");
  }
  expect(std::set<u64>(named_edts.begin(), named_edts.end()).size() == kNamed, "each EDT has a GUID of its own");
  expect_code(ocrEventSatisfy(guid_of(paramv[0]), kNull), 0, "ocrEventSatisfy()");
  return kNull;
}

void named() {
  ocrEventParams_t params{};
  params.EVENT_LATCH.counter = kNamed;
  ocrGuid_t latch = kNull;
  expect_code(ocrEventCreateParams(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params), 0, "a latch");
  shut_down_after({latch});
  make_edt(0, &make_named, {word_of(make_event(OCR_EVENT_STICKY_T)), word_of(latch)});
}
const Named named_named("named", &named);

// ---- From rank to rank, by a template of the first ----

ocrGuid_t hop(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const u64 left = paramv[0];
  expect(paramv[2] == this_rank(), "an EDT runs on the rank of its hint");
  if (left == 0) {
    expect_code(ocrEventSatisfy(guid_of(paramv[3]), kNull), 0, "ocrEventSatisfy() of an event elsewhere");
    return kNull;
  }
  u64 params[] = {left - 1, paramv[1], (this_rank() + 1) % rank_count(), paramv[3]};
  ocrHint_t hint = on_rank(params[2]);
  ocrGuid_t next = kNull;
  expect_code(ocrEdtCreate(&next, guid_of(paramv[1]), EDT_PARAM_DEF, params, EDT_PARAM_DEF, nullptr, EDT_PROP_NONE,
                           &hint, nullptr),
              0, "ocrEdtCreate() by a template of another rank");
  return kNull;
}

void hops() {
  const ocrGuid_t end = make_event(OCR_EVENT_ONCE_T);
  shut_down_after({end});
  const u64 of = word_of(make_template(&hop, 4, 0));
  u64 params[] = {200, of, 0, word_of(end)};
  ocrGuid_t first = kNull;
  expect_code(ocrEdtCreate(&first, guid_of(of), 4, params, 0, nullptr, EDT_PROP_NONE, nullptr, nullptr), 0,
              "ocrEdtCreate()");
}
const Named named_hops("hops", &hops);

// ---- Templates are good on all ranks until one destroys them ----

constexpr u64 kTemplates = 20;

u8 make_by(u64 of) {
  ocrGuid_t made = kNull;
  const u8 code =
      ocrEdtCreate(&made, guid_of(of), EDT_PARAM_DEF, nullptr, EDT_PARAM_DEF, nullptr, EDT_PROP_NONE, nullptr, nullptr);
  if (code == 0) expect_code(ocrEdtDestroy(made), 0, "ocrEdtDestroy()");
  return code;
}

ocrGuid_t never_begins(u32, u64*, u32, ocrEdtDep_t*) {
  expect(false, "an EDT that was destroyed does not begin");
  return kNull;
}

// On each rank: what was destroyed where it was made is gone.
ocrGuid_t use_gone(u32, u64* paramv, u32, ocrEdtDep_t*) {
  for (u64 i = 0; i < kTemplates; ++i) {
    expect_code(make_by(paramv[i]), OCR_EINVAL, "ocrEdtCreate() by a template that its rank has destroyed");
    expect_code(ocrEdtTemplateDestroy(guid_of(paramv[i])), OCR_EINVAL, "ocrEdtTemplateDestroy(), again");
  }
  return kNull;
}

// On each rank: every other one is destroyed from here.
ocrGuid_t use_templates(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const u64* const own = paramv + kTemplates * this_rank();
  for (u64 i = 0; i < kTemplates; ++i) {
    expect_code(make_by(own[i]), 0, "ocrEdtCreate() by a template of another rank");
    if (i % 2 != 0) continue;
    expect_code(ocrEdtTemplateDestroy(guid_of(own[i])), 0, "ocrEdtTemplateDestroy() of another rank's");
    expect_code(make_by(own[i]), OCR_EINVAL, "ocrEdtCreate() by a template that was destroyed here");
  }
  return kNull;
}

ocrGuid_t destroy_the_others(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const ocrGuid_t all_are_gone = make_event(OCR_EVENT_STICKY_T);
  std::vector<ocrGuid_t> ends;
  for (u64 rank = 0; rank < rank_count(); ++rank) {
    const u64* const own = paramv + kTemplates * rank;
    for (u64 i = 1; i < kTemplates; i += 2)
      expect_code(ocrEdtTemplateDestroy(guid_of(own[i])), 0, "ocrEdtTemplateDestroy() where it was made");
    ends.push_back(make_edt(rank, &use_gone, {own, own + kTemplates}, 1, &all_are_gone, EDT_PROP_NONE, true).output);
  }
  shut_down_after(ends);
  expect_code(ocrEventSatisfy(all_are_gone, kNull), 0, "ocrEventSatisfy()");
  return kNull;
}

void templates() {
  std::vector<u64> all;
  for (u64 i = 0; i < kTemplates * rank_count(); ++i) all.push_back(word_of(make_template(&never_begins, 0, 1)));
  const Made last = make_edt(0, &destroy_the_others, all, static_cast<u32>(rank_count()));
  for (u64 rank = 0; rank < rank_count(); ++rank) {
    const Made user = make_edt(rank, &use_templates, all, 1, nullptr, EDT_PROP_NONE, true);
    expect_code(ocrAddDependence(user.output, last.edt, static_cast<u32>(rank), DB_MODE_NULL), 0, "ocrAddDependence()");
    expect_code(ocrAddDependence(kNull, user.edt, 0, DB_MODE_NULL), 0, "ocrAddDependence()");
  }
}
const Named named_templates("templates", &templates);

// ---- Calls that are wrong have the codes of one rank ----

// params: an EDT with open slots, a block, an event, a block and an event that were destroyed, all of the last rank.
ocrGuid_t use_wrongly(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const ocrGuid_t edt = guid_of(paramv[0]), block = guid_of(paramv[1]), event = guid_of(paramv[2]);
  const ocrGuid_t gone_block = guid_of(paramv[3]), gone_event = guid_of(paramv[4]);
  const ocrGuid_t sticky = make_event(OCR_EVENT_STICKY_T);
  const Made reader = make_edt(this_rank(), &never_begins, {}, 1);
  u64 size = 0, offset = 0;
  expect_code(ocrAddDependence(edt, reader.edt, 0, DB_MODE_RO), OCR_EPERM, "ocrAddDependence() from an EDT");
  expect_code(ocrAddDependence(edt, sticky, 0, DB_MODE_RO), OCR_EPERM, "ocrAddDependence() from an EDT to an event");
  expect_code(ocrAddDependence(gone_event, reader.edt, 0, DB_MODE_RO), OCR_EINVAL, "the same from a gone event");
  expect_code(ocrAddDependence(gone_event, sticky, 0, DB_MODE_RO), OCR_EINVAL, "the same to an event");
  expect_code(ocrAddDependence(sticky, block, 0, DB_MODE_RO), OCR_EPERM, "ocrAddDependence() to a block");
  expect_code(ocrAddDependence(sticky, gone_block, 0, DB_MODE_RO), OCR_EINVAL, "the same to a gone block");
  expect_code(ocrDbRelease(block), OCR_EACCES, "ocrDbRelease() of what is not held");
  expect_code(ocrDbRelease(gone_block), OCR_EINVAL, "the same of a gone block");
  expect_code(ocrDbGetSize(block, &size), OCR_EACCES, "ocrDbGetSize() of what is not held");
  expect_code(ocrDbGetSize(gone_block, &size), OCR_EINVAL, "the same of a gone block");
  expect_code(ocrDbMallocOffset(block, 8, &offset), OCR_EACCES, "ocrDbMallocOffset() in what is not held");
  expect_code(ocrDbMallocOffset(gone_block, 8, &offset), OCR_EINVAL, "the same in a gone block");
  expect_code(ocrEventSatisfy(gone_event, kNull), OCR_EINVAL, "ocrEventSatisfy() of a gone event");
  expect_code(ocrEventSatisfy(event, gone_block), OCR_EINVAL, "ocrEventSatisfy() with a gone block");
  expect_code(ocrEdtDestroy(reader.edt), 0, "ocrEdtDestroy()");
  expect_code(ocrEdtDestroy(edt), 0, "ocrEdtDestroy() of another rank's");
  ocrShutdown();
  return kNull;
}

ocrGuid_t make_block() {
  ocrGuid_t block = kNull;
  void* data = nullptr;
  expect_code(ocrDbCreate(&block, &data, 64, DB_PROP_NONE, nullptr, NO_ALLOC), 0, "ocrDbCreate()");
  expect_code(ocrDbRelease(block), 0, "ocrDbRelease()");
  return block;
}

ocrGuid_t make_what_is_used_wrongly(u32, u64*, u32, ocrEdtDep_t*) {
  const Made edt = make_edt(this_rank(), &never_begins, {}, 1);
  const ocrGuid_t block = make_block(), event = make_event(OCR_EVENT_STICKY_T);
  const ocrGuid_t gone_block = make_block(), gone_event = make_event(OCR_EVENT_STICKY_T);
  expect_code(ocrDbDestroy(gone_block), 0, "ocrDbDestroy()");
  expect_code(ocrEventDestroy(gone_event), 0, "ocrEventDestroy()");
  make_edt(0, &use_wrongly,
           {word_of(edt.edt), word_of(block), word_of(event), word_of(gone_block), word_of(gone_event)});
  return kNull;
}

void wrong_uses() { make_edt(rank_count() - 1, &make_what_is_used_wrongly, {}); }
const Named named_wrong_uses("wrong-uses", &wrong_uses);

// ---- Events of each type, satisfied, linked and destroyed from elsewhere ----

ocrGuid_t nothing(u32, u64*, u32, ocrEdtDep_t*) { return kNull; }

// On another rank than the event, whose type is a parameter.
ocrGuid_t use_event(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const ocrGuid_t event = guid_of(paramv[0]), done = guid_of(paramv[1]);
  const auto type = static_cast<ocrEventTypes_t>(paramv[2]);
  const std::uint64_t third = (this_rank() + 1) % rank_count();
  const Made waits = make_edt(third, &nothing, {}, 1, nullptr, EDT_PROP_NONE, true);
  expect_code(ocrAddDependence(waits.output, done, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL), 0,
              "a dependence to a latch");
  expect_code(ocrAddDependence(event, waits.edt, 0, DB_MODE_RO), 0,
              "a dependence from an event to an EDT, both elsewhere");
  expect_code(ocrAddDependence(event, waits.edt, 0, DB_MODE_RO), OCR_EPERM, "a second source of a slot");
  expect_code(ocrEventSatisfy(event, kNull), 0, "ocrEventSatisfy() of an event elsewhere");
  const bool stays = type == OCR_EVENT_STICKY_T || type == OCR_EVENT_IDEM_T || type == OCR_EVENT_CHANNEL_T;
  const u8 again = type == OCR_EVENT_STICKY_T ? u8{OCR_EPERM} : stays ? u8{0} : u8{OCR_EINVAL};
  expect_code(ocrEventSatisfy(event, kNull), again, "ocrEventSatisfy() once more");
  expect_code(ocrEventDestroy(event), stays ? u8{0} : u8{OCR_EINVAL}, "ocrEventDestroy() of an event elsewhere");
  expect_code(ocrEventDestroy(event), OCR_EINVAL, "ocrEventDestroy() of one that is gone");
  expect_code(ocrEventSatisfy(event, kNull), OCR_EINVAL, "ocrEventSatisfy() of one that is gone");
  return kNull;
}

ocrGuid_t make_event_of(ocrEventTypes_t type) {
  ocrEventParams_t params{};
  ocrGuid_t event = kNull;
  if (type == OCR_EVENT_LATCH_T) params.EVENT_LATCH.counter = 1;
  if (type == OCR_EVENT_COUNTED_T) params.EVENT_COUNTED.nbDeps = 1;
  if (type == OCR_EVENT_CHANNEL_T) {
    params.EVENT_CHANNEL.maxGen = EVENT_CHANNEL_UNBOUNDED;
    params.EVENT_CHANNEL.nbSat = params.EVENT_CHANNEL.nbDeps = 1;
  }
  expect_code(ocrEventCreateParams(&event, type, EVT_PROP_TAKES_ARG, &params), 0, "ocrEventCreateParams()");
  return event;
}

void events() {
  const ocrEventTypes_t types[] = {OCR_EVENT_ONCE_T,  OCR_EVENT_IDEM_T,    OCR_EVENT_STICKY_T,
                                   OCR_EVENT_LATCH_T, OCR_EVENT_COUNTED_T, OCR_EVENT_CHANNEL_T};
  ocrEventParams_t params{};
  params.EVENT_LATCH.counter = 2 * std::size(types);
  ocrGuid_t done = kNull;
  expect_code(ocrEventCreateParams(&done, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params), 0, "a latch");
  shut_down_after({done});
  for (const ocrEventTypes_t type : types) {
    const Made user =
        make_edt(1 % rank_count(), &use_event, {word_of(make_event_of(type)), word_of(done), static_cast<u64>(type)}, 1,
                 nullptr, EDT_PROP_NONE, true);
    expect_code(ocrAddDependence(user.output, done, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL), 0,
                "an output to a latch");
    expect_code(ocrAddDependence(kNull, user.edt, 0, DB_MODE_NULL), 0, "the slot of an EDT elsewhere");
  }
}
const Named named_events("events", &events);

// ---- depv with events of all ranks ----

ocrGuid_t make_and_tell(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const ocrGuid_t sticky = make_event(OCR_EVENT_STICKY_T);
  ocrGuid_t depv[] = {sticky, guid_of(paramv[0]), kOpen, kNull};
  const Made all = make_edt(2 % rank_count(), &nothing, {}, 4, depv, EDT_PROP_NONE, true);
  expect_code(ocrAddDependence(all.output, guid_of(paramv[1]), 0, DB_MODE_NULL), 0, "an output to an event elsewhere");
  expect_code(ocrAddDependence(guid_of(paramv[0]), all.edt, 2, DB_MODE_RW), 0, "an event of the first rank");
  expect_code(ocrEventSatisfy(sticky, kNull), 0, "ocrEventSatisfy()");
  return kNull;
}

void depvs() {
  const ocrGuid_t early = make_event(OCR_EVENT_STICKY_T), late = make_event(OCR_EVENT_STICKY_T);
  const ocrGuid_t ends[] = {make_event(OCR_EVENT_ONCE_T), make_event(OCR_EVENT_ONCE_T)};
  shut_down_after({ends[0], ends[1]});
  expect_code(ocrEventSatisfy(early, kNull), 0, "ocrEventSatisfy()");
  make_edt(1 % rank_count(), &make_and_tell, {word_of(early), word_of(ends[0])});
  make_edt(1 % rank_count(), &make_and_tell, {word_of(late), word_of(ends[1])});
  expect_code(ocrEventSatisfy(late, kNull), 0, "ocrEventSatisfy()");
}
const Named named_depvs("depvs", &depvs);

// ---- A returned event, and EDTs that will not run ----

ocrGuid_t return_event(u32, u64* paramv, u32, ocrEdtDep_t*) { return guid_of(paramv[0]); }

ocrGuid_t destroy_both(u32, u64* paramv, u32, ocrEdtDep_t*) {
  expect_code(ocrEdtDestroy(guid_of(paramv[0])), 0, "ocrEdtDestroy() of an EDT elsewhere");
  expect_code(ocrEdtDestroy(guid_of(paramv[0])), OCR_EINVAL, "ocrEdtDestroy() of one that is gone");
  expect_code(ocrEventSatisfy(guid_of(paramv[1]), kNull), 0, "ocrEventSatisfy()");
  return kNull;
}

ocrGuid_t with_children_that_never_run(u32, u64* paramv, u32, ocrEdtDep_t*) {
  for (std::uint64_t rank = 0; rank < rank_count(); ++rank) {
    const Made never = make_edt(rank, &nothing, {}, 1, nullptr, EDT_PROP_NONE, true);
    make_edt((rank + 1) % rank_count(), &destroy_both, {word_of(never.edt), paramv[0]});
  }
  return kNull;
}

void endings() {
  const ocrGuid_t later = make_event(OCR_EVENT_STICKY_T), idem = make_event(OCR_EVENT_IDEM_T);
  const Made returns = make_edt(1 % rank_count(), &return_event, {word_of(later)}, 1, &kNull, EDT_PROP_NONE, true);
  const Made finish =
      make_edt(1 % rank_count(), &with_children_that_never_run, {word_of(idem)}, 1, &kNull, EDT_PROP_FINISH, true);
  shut_down_after({returns.output, finish.output, idem});
  expect_code(ocrEventSatisfy(later, kNull), 0, "ocrEventSatisfy()");
}
const Named named_endings("endings", &endings);

// ---- Finish scopes ----

std::atomic<u64> ran_here{0};

ocrGuid_t grow(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const u64 depth = paramv[0], seed = paramv[1];
  usleep(static_cast<useconds_t>(seed % 400));
  if (depth != 0) {
    for (u64 i = 0; i < 2; ++i) {
      const u64 next = (seed * 6364136223846793005u + 1442695040888963407u + i) >> 7;
      // Some are finish EDTs themselves, some have an output event that somebody waits for.
      const u16 properties = next % 5 == 0 ? EDT_PROP_FINISH : EDT_PROP_NONE;
      const Made made = make_edt(next % rank_count(), &grow, {depth - 1, next}, 1, &kNull, properties, next % 3 == 0);
      if (next % 3 == 0) make_edt(next / 3 % rank_count(), &nothing, {}, 1, &made.output);
    }
  }
  ran_here.fetch_add(1);
  return kNull;
}

std::atomic<u64> sum{0}, reported{0};

ocrGuid_t take_report(u32, u64* paramv, u32, ocrEdtDep_t*) {
  sum.fetch_add(paramv[0]);
  if (reported.fetch_add(1) + 1 < rank_count()) return kNull;
  expect(sum.load() == 127, "all EDTs in a finish scope have ended when it has");
  ocrShutdown();
  return kNull;
}

ocrGuid_t report(u32, u64*, u32, ocrEdtDep_t*) {
  make_edt(0, &take_report, {ran_here.load()});
  return kNull;
}

ocrGuid_t report_all(u32, u64*, u32, ocrEdtDep_t*) {
  for (std::uint64_t rank = 0; rank < rank_count(); ++rank) make_edt(rank, &report, {});
  return kNull;
}

void finish() {
  const Made tree = make_edt(rank_count() - 1, &grow, {6, 4711}, 1, nullptr, EDT_PROP_FINISH, true);
  make_edt(0, &report_all, {}, 1, &tree.output);
  expect_code(ocrAddDependence(kNull, tree.edt, 0, DB_MODE_NULL), 0, "ocrAddDependence()");
}
const Named named_finish("finish", &finish);

// ---- The end ----

ocrGuid_t abort_there(u32, u64* paramv, u32, ocrEdtDep_t*) {
  ocrAbort(static_cast<u8>(paramv[0]));
  return kNull;
}

void ends_elsewhere() { make_edt(rank_count() - 1, &abort_there, {0}); }
void aborts_elsewhere() { make_edt(rank_count() - 1, &abort_there, {77}); }
const Named named_ends("ends-elsewhere", &ends_elsewhere), named_aborts("aborts-elsewhere", &aborts_elsewhere);

ocrGuid_t die(u32, u64*, u32, ocrEdtDep_t*) {
  ::kill(::getpid(), SIGKILL);
  return kNull;
}
void dies() { make_edt(1, &die, {}); }
const Named named_dies("dies", &dies);

// ---- One label, under which EDTs of all ranks make an object when it is free ----

constexpr u64 kMakers = 4;             // on each rank
int events_there = 0, edts_there = 0;  // that this rank has under it now

// An event: its maker is alone with it.
ocrGuid_t make_event_when_free(u32, u64* paramv, u32, ocrEdtDep_t*) {
  ocrGuid_t label = guid_of(paramv[0]);
  expect_code(ocrEventCreate(&label, OCR_EVENT_STICKY_T, GUID_PROP_BLOCK), 0, "an event, when its label is free");
  expect(word_of(label) == paramv[0], "it is under the label");
  expect(++events_there == 1, "it is the only one");
  --events_there;
  expect_code(ocrEventDestroy(label), 0, "ocrEventDestroy()");
  return kNull;
}

// It is under the label until it ends.
ocrGuid_t run_under_label(u32, u64* paramv, u32, ocrEdtDep_t*) {
  expect(++edts_there == 1, "no other EDT is under the label");
  std::this_thread::yield();
  --edts_there;
  expect_code(ocrEventSatisfySlot(guid_of(paramv[0]), kNull, OCR_EVENT_LATCH_DECR_SLOT), 0, "ocrEventSatisfySlot()");
  return kNull;
}
ocrGuid_t make_edt_when_free(u32, u64* paramv, u32, ocrEdtDep_t*) {
  ocrGuid_t label = guid_of(paramv[0]);
  const ocrGuid_t of = make_template(&run_under_label, 1, 0);
  expect_code(ocrEdtCreate(&label, of, 1, &paramv[1], 0, nullptr, GUID_PROP_BLOCK, nullptr, nullptr), 0,
              "an EDT, when its label is free");
  return kNull;
}

ocrGuid_t free_label(u32, u64* paramv, u32, ocrEdtDep_t*) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  expect_code(ocrEventDestroy(guid_of(paramv[0])), 0, "ocrEventDestroy()");
  return kNull;
}

void one_label() {
  ocrGuid_t events_range = kNull, edts_range = kNull, event = kNull, edt = kNull, done = kNull;
  expect_code(ocrGuidRangeCreate(&events_range, 10, GUID_USER_EVENT_STICKY), 0, "ocrGuidRangeCreate()");
  expect_code(ocrGuidRangeCreate(&edts_range, 10, GUID_USER_EDT), 0, "ocrGuidRangeCreate()");
  expect_code(ocrGuidFromIndex(&event, events_range, 1), 0, "ocrGuidFromIndex()");
  expect_code(ocrGuidFromIndex(&edt, edts_range, 1), 0, "ocrGuidFromIndex()");
  ocrEventParams_t params{};
  params.EVENT_LATCH.counter = 2 * kMakers * rank_count();
  expect_code(ocrEventCreateParams(&done, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params), 0, "a latch");
  shut_down_after({done});
  expect_code(ocrEventCreate(&event, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), 0, "ocrEventCreate()");
  for (u64 i = 0; i < kMakers * rank_count(); ++i) {
    const Made waits =
        make_edt(i % rank_count(), &make_event_when_free, {word_of(event)}, 1, nullptr, EDT_PROP_NONE, true);
    expect_code(ocrAddDependence(waits.output, done, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL), 0, "an output");
    expect_code(ocrAddDependence(kNull, waits.edt, 0, DB_MODE_NULL), 0, "ocrAddDependence()");
    make_edt(i % rank_count(), &make_edt_when_free, {word_of(edt), word_of(done)});
  }
  make_edt(0, &free_label, {word_of(event)});
}
const Named named_one_label("one-label", &one_label);

}  // namespace

}  // namespace weir::ocr::multi
