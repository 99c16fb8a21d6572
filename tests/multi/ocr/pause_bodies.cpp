// SPDX-License-Identifier: Apache-2.0

// EDTs that pause the program on all ranks. What they see of one another is in a file that all ranks map, named by
// OCR_SHARED: counts of EDTs, which stand still while one pauses.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <set>

#include "multi/ocr/bodies.hpp"
#include "ocr/extensions/ocr-pause.h"

namespace weir::ocr::multi {

namespace {

constexpr u64 kMostRanksHere = 8;  // ranks

struct Shared {
  std::atomic<u64> ticks[kMostRanksHere];   // EDTs that each rank has run
  std::atomic<u64> within[kMostRanksHere];  // EDTs whose functions run there now
  std::atomic<u64> pausers;                 // that have paused the program now
  std::atomic<u64> pauses;                  // that have been
  std::atomic<u64> left;                    // chains of EDTs that have not ended
  std::atomic<u64> begun;                   // EDTs that are to pause
  std::atomic<bool> starts;                 // all of them have begun, and chains
  std::atomic<bool> ends;                   // chains of EDTs do
  std::atomic<bool> is_over;                // the program ends: EDTs that were held begin, and can make no others
};

// Before the program starts, so that a checkpoint finds nothing of it changed.
Shared& map_shared() {
  const char* const path = std::getenv("OCR_SHARED");
  if (path == nullptr) return *new Shared{};  // of other bodies, or of one rank
  const int file = ::open(path, O_RDWR);
  void* const at = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file < 0 || at == MAP_FAILED) std::abort();
  ::close(file);
  return *static_cast<Shared*>(at);
}
Shared& shared = map_shared();

class Within {
 public:
  Within() { ++shared.within[this_rank()]; }
  ~Within() { --shared.within[this_rank()]; }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;
};

// ---- Chains of EDTs, of each of which one is there at any time, on rank after rank ----

constexpr u64 kChainsPerRank = 3;  // that begin on each rank

// Param: an event that is satisfied when the last chain has ended.
ocrGuid_t tick(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const Within within;
  if (shared.is_over.load()) return kNull;
  ++shared.ticks[this_rank()];
  if (!shared.ends.load())
    make_edt((this_rank() + 1) % rank_count(), &tick, {paramv[0]});
  else if (--shared.left == 0)
    expect_code(ocrEventSatisfy(guid_of(paramv[0]), kNull), 0, "ocrEventSatisfy()");
  return kNull;
}

// The program ends after all chains.
void begin_chains() {
  const ocrGuid_t end = make_event(OCR_EVENT_STICKY_T);
  shared.left = kChainsPerRank * rank_count();
  shut_down_after({end});
  for (u64 i = 0; i < kChainsPerRank * rank_count(); ++i) make_edt(i % rank_count(), &tick, {word_of(end)});
}

using Counts = std::vector<u64>;
Counts ticks() {
  Counts all;
  for (u64 rank = 0; rank < rank_count(); ++rank) all.push_back(shared.ticks[rank].load());
  return all;
}

// Until each rank has run some since then. The EDT's worker runs others meanwhile.
void wait_for_ticks(const Counts& since) {
  for (u64 rank = 0; rank < rank_count(); ++rank)
    while (shared.ticks[rank].load() < since[rank] + 3) expect_code(ocrInformLegacyCodeBlocking(), 0, "a wait");
}

// ---- What one that has paused sees ----

std::vector<u64> query(ocrQueryType_t what, ocrGuid_t of = kNull) {
  void* data = nullptr;
  u32 bytes = 0;
  const ocrGuid_t block = ocrQuery(what, of, &data, &bytes, 0);
  std::vector<u64> found;
  for (u32 i = 0; i < bytes / sizeof(ocrGuid_t); ++i) found.push_back(word_of(static_cast<ocrGuid_t*>(data)[i]));
  expect_code(ocrDbDestroy(block), 0, "ocrDbDestroy() of an answer");
  std::sort(found.begin(), found.end());
  expect(std::adjacent_find(found.begin(), found.end()) == found.end(), "each object is found once");
  return found;
}

// Each rank is asked for something, and answers, while no EDT begins on it.
void use_all_ranks() {
  for (u64 rank = 0; rank < rank_count(); ++rank) {
    const Made made = make_edt(rank, &tick, {0}, 1);
    expect_code(ocrEdtDestroy(made.edt), 0, "ocrEdtDestroy() of an EDT that waits elsewhere");
  }
}

// `looks`: at how many EDTs are ready, too.
void check_that_all_stand_still(bool looks) {
  for (u64 rank = 0; rank < rank_count(); ++rank)
    expect(shared.within[rank].load() == 0, "no EDT runs when the program is paused");
  const Counts before = ticks();
  expect(++shared.pausers == 1, "one EDT pauses the program at a time");
  use_all_ranks();
  if (looks) expect(query(OCR_QUERY_READY_EDTS).size() == shared.left.load(), "each chain has one EDT, which is ready");
  for (int i = 0; i < 50; ++i) ::sched_yield();
  use_all_ranks();
  expect(ticks() == before, "no EDT has begun while the program was paused");
  ++shared.pauses;
  --shared.pausers;
}

// ---- One after the other, on each rank ----

constexpr u64 kPauseRounds = 8;

ocrGuid_t pause_in_turn(u32, u64* paramv, u32, ocrEdtDep_t*) {
  for (u64 round = 0; round < 5; ++round) {
    wait_for_ticks(ticks());
    const u32 paused = ocrPause(true);
    expect(paused == 1, "the program is paused");
    expect(ocrPause(true) == 0, "it is paused already");
    check_that_all_stand_still(true);
    ocrResume(paused);
  }
  wait_for_ticks(ticks());
  if (paramv[0] + 1 < rank_count())
    make_edt(paramv[0] + 1, &pause_in_turn, {paramv[0] + 1});
  else
    shared.ends = true;
  return kNull;
}

void pauses() {
  begin_chains();
  make_edt(0, &pause_in_turn, {0});
}
const Named named_pauses("pauses", &pauses);

// ---- All at once, two on each rank ----

ocrGuid_t pause_at_once(u32, u64*, u32, ocrEdtDep_t*) {
  if (++shared.begun == 2 * rank_count()) {
    begin_chains();
    shared.starts = true;
  }
  while (!shared.starts.load()) expect_code(ocrInformLegacyCodeBlocking(), 0, "a wait");
  for (u64 round = 0; round < kPauseRounds; ++round) {
    const u32 paused = ocrPause(round % 4 != 3);
    if (round % 4 != 3) expect(paused == 1, "it gets its turn");
    if (paused == 1) check_that_all_stand_still(round % 8 == 0);
    ocrResume(paused);
  }
  if (--shared.begun == 0) {
    expect(shared.pauses.load() >= 2 * rank_count() * kPauseRounds * 3 / 4, "all have had their turns");
    shared.ends = true;
  }
  return kNull;
}

void pauses_at_once() {
  for (u64 i = 0; i < 2 * rank_count(); ++i) make_edt(i % rank_count(), &pause_at_once, {});
}
const Named named_pauses_at_once("pauses-at-once", &pauses_at_once);

// ---- Where no EDT waits for others, so that there may be checkpoints ----

// Param: how many follow it.
ocrGuid_t tick_some(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const Within within;
  ++shared.ticks[this_rank()];
  if (paramv[0] != 0) make_edt((this_rank() + 1) % rank_count(), &tick_some, {paramv[0] - 1});
  return kNull;
}

ocrGuid_t pause_in_passing(u32, u64* paramv, u32, ocrEdtDep_t*) {
  for (u64 i = 0; i < kChainsPerRank; ++i) make_edt(i % rank_count(), &tick_some, {10});
  const u32 paused = ocrPause(true);
  expect(paused == 1, "it gets its turn");
  check_that_all_stand_still(false);
  ocrResume(paused);
  if (paramv[0] != 0) make_edt((this_rank() + 1) % rank_count(), &pause_in_passing, {paramv[0] - 1});
  return kNull;
}

ocrGuid_t begin_passing(u32, u64*, u32, ocrEdtDep_t*) {
  for (u64 i = 0; i < 2 * rank_count(); ++i) make_edt(i % rank_count(), &pause_in_passing, {kPauseRounds});
  return kNull;
}

void pauses_in_passing() {
  const Made all = make_edt(0, &begin_passing, {}, 1, nullptr, EDT_PROP_FINISH, true);
  shut_down_after({all.output});
  expect_code(ocrAddDependence(kNull, all.edt, 0, DB_MODE_NULL), 0, "ocrAddDependence()");
}
const Named named_pauses_in_passing("pauses-in-passing", &pauses_in_passing);

// ---- One that would not wait ----

// While the other, on another rank, waits for this one to end.
ocrGuid_t try_to_pause(u32, u64*, u32, ocrEdtDep_t*) {
  ++shared.begun;
  while (const u32 paused = ocrPause(false)) ocrResume(paused);
  ++shared.pauses;
  return kNull;
}

ocrGuid_t pause_when_it_runs(u32, u64*, u32, ocrEdtDep_t*) {
  while (shared.begun.load() == 0) ::sched_yield();
  const u32 paused = ocrPause(true);
  expect(paused == 1, "the program is paused");
  expect(shared.pauses.load() == 1, "the other has been told at once that it cannot, and has ended");
  ocrResume(paused);
  ocrShutdown();
  return kNull;
}

void pauses_or_not() {
  if (rank_count() == 1) return ocrShutdown();  // one worker runs both
  make_edt(rank_count() - 1, &pause_when_it_runs, {});
  make_edt(rank_count() - 2, &try_to_pause, {});
}
const Named named_pauses_or_not("pauses-or-not", &pauses_or_not);

// ---- One that waits meanwhile for what others bring about ----

ocrGuid_t satisfy(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const Within within;
  expect_code(ocrEventSatisfy(guid_of(paramv[0]), kNull), 0, "ocrEventSatisfy()");
  return kNull;
}

ocrGuid_t wait_while_it_pauses(u32, u64*, u32, ocrEdtDep_t*) {
  const u32 paused = ocrPause(true);
  expect(paused == 1, "the program is paused");
  for (u64 i = 0; i < 3 * rank_count(); ++i) {
    check_that_all_stand_still(true);
    const ocrGuid_t event = make_event(OCR_EVENT_STICKY_T);
    make_edt(i % rank_count(), &satisfy, {word_of(event)});
    expect_code(ocrLegacyBlockProgress(event, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0, "a wait");
    expect_code(ocrEventDestroy(event), 0, "ocrEventDestroy()");
  }
  check_that_all_stand_still(true);
  shared.ends = true;
  ocrResume(paused);
  return kNull;
}

void pauses_and_waits() {
  begin_chains();
  make_edt(rank_count() - 1, &wait_while_it_pauses, {});
}
const Named named_pauses_and_waits("pauses-and-waits", &pauses_and_waits);

// ---- What there is, on all ranks ----

struct Objects {
  u64 sticky, fired, waiting, block;
};
constexpr u32 kObjectWords = sizeof(Objects) / sizeof(u64);

ocrGuid_t waits_for_ever(u32, u64*, u32, ocrEdtDep_t*) { return kNull; }

// On each rank, in the finish scope of an EDT of rank 0. Params: an event of rank 0 that is satisfied with a block of
// what was made.
ocrGuid_t make_objects(u32, u64* paramv, u32, ocrEdtDep_t*) {
  ocrGuid_t said = kNull, block = kNull;
  void *data = nullptr, *contents = nullptr;
  expect_code(ocrDbCreate(&said, &data, sizeof(Objects), DB_PROP_NONE, nullptr, NO_ALLOC), 0, "ocrDbCreate()");
  expect_code(ocrDbCreate(&block, &contents, 8, DB_PROP_NONE, nullptr, NO_ALLOC), 0, "ocrDbCreate()");
  expect_code(ocrDbRelease(block), 0, "ocrDbRelease()");
  const ocrGuid_t sticky = make_event(OCR_EVENT_STICKY_T), fired = make_event(OCR_EVENT_STICKY_T);
  expect_code(ocrEventSatisfy(fired, kNull), 0, "ocrEventSatisfy()");
  // On the next rank: its block is of this one.
  const Made waits = make_edt((this_rank() + 1) % rank_count(), &waits_for_ever, {}, 2);
  expect_code(ocrAddDependence(block, waits.edt, 0, DB_MODE_RO), 0, "a block");
  expect_code(ocrAddDependence(sticky, waits.edt, 1, DB_MODE_RO), 0, "an event");
  *static_cast<Objects*>(data) = {word_of(sticky), word_of(fired), word_of(waits.edt), word_of(block)};
  expect_code(ocrDbRelease(said), 0, "ocrDbRelease()");
  expect_code(ocrEventSatisfy(guid_of(paramv[0]), said), 0, "ocrEventSatisfy()");
  return kNull;
}

bool has(const std::vector<u64>& found, u64 word) { return std::binary_search(found.begin(), found.end(), word); }

ocrGuid_t runs_later(u32, u64* paramv, u32, ocrEdtDep_t*) {
  expect(shared.pausers.load() == 0, "no EDT begins while one pauses");
  expect_code(ocrEventSatisfySlot(guid_of(paramv[0]), kNull, OCR_EVENT_LATCH_DECR_SLOT), 0, "ocrEventSatisfySlot()");
  return kNull;
}

// A slot for each rank: what was made there. On the last one.
ocrGuid_t look_at_all(u32, u64* paramv, u32 depc, ocrEdtDep_t* depv) {
  const u32 paused = ocrPause(true);
  expect(paused == 1, "the program is paused");
  ++shared.pausers;
  ocrGuid_t itself = kNull;
  expect_code(ocrCurrentEdtGet(&itself), 0, "ocrCurrentEdtGet()");
  std::set<u64> ready, there{word_of(itself), paramv[1]};
  for (u64 rank = 0; rank < rank_count(); ++rank)
    for (const u32 depends : {0u, 1u}) {
      const Made made = make_edt(rank, &runs_later, {paramv[0]}, depends, depends == 0 ? nullptr : &kNull);
      ready.insert(word_of(made.edt));
      there.insert(word_of(made.edt));
    }
  const std::vector<u64> events = query(OCR_QUERY_EVENTS);
  for (u32 i = 0; i < depc; ++i) {
    const Objects& made = *static_cast<const Objects*>(depv[i].ptr);
    there.insert(made.waiting);
    expect(has(events, made.sticky), "an event that is not satisfied is found on its rank");
    expect(!has(events, made.fired), "one that is satisfied is not");
    const std::vector<u64> blocks = query(OCR_QUERY_LAST_SATISFIED_DB, guid_of(made.waiting));
    expect(blocks == std::vector<u64>{made.block}, "the block in the slot of an EDT is known where that is");
  }
  expect(query(OCR_QUERY_READY_EDTS) == std::vector<u64>(ready.begin(), ready.end()), "those that are ready");
  expect(query(OCR_QUERY_ALL_EDTS) == std::vector<u64>(there.begin(), there.end()), "all EDTs, and nothing else");
  expect(has(query(OCR_QUERY_EVENTS), paramv[0]), "and the latch");
  --shared.pausers;
  ocrResume(paused);
  for (u32 i = 0; i < depc; ++i)
    expect_code(ocrEventSatisfy(guid_of(static_cast<const Objects*>(depv[i].ptr)->sticky), kNull), 0, "an event");
  expect_code(ocrEventSatisfySlot(guid_of(paramv[0]), kNull, OCR_EVENT_LATCH_DECR_SLOT), 0, "ocrEventSatisfySlot()");
  return kNull;
}

void paused_and_asked() {
  std::vector<ocrGuid_t> said;
  const ocrGuid_t latch = make_latch(2 * rank_count() + 1);
  for (u64 rank = 0; rank < rank_count(); ++rank) {
    said.push_back(make_event(OCR_EVENT_STICKY_T));
    make_edt(rank, &make_objects, {word_of(said.back())}, 1, &kNull, EDT_PROP_FINISH);
  }
  ocrGuid_t end = kNull;
  {
    const ocrGuid_t ends = make_template([](u32, u64*, u32, ocrEdtDep_t*) { return ocrShutdown(), kNull; }, 0, 1);
    ocrGuid_t depv[] = {latch};
    expect_code(ocrEdtCreate(&end, ends, 0, nullptr, 1, depv, EDT_PROP_NONE, nullptr, nullptr), 0, "ocrEdtCreate()");
  }
  make_edt(rank_count() - 1, &look_at_all, {word_of(latch), word_of(end)}, static_cast<u32>(said.size()), said.data());
}
const Named named_paused_and_asked("paused-and-asked", &paused_and_asked);

// ---- An EDT that has forgotten that it has paused ----

ocrGuid_t return_paused(u32, u64*, u32, ocrEdtDep_t*) {
  expect(ocrPause(true) == 1, "the program is paused");
  return kNull;
}

// On each rank after that, and then once more: another one may pause.
ocrGuid_t pause_again(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const u32 paused = ocrPause(true);
  expect(paused == 1, "the program is paused once more");
  ocrResume(paused);
  expect_code(ocrEventSatisfySlot(guid_of(paramv[0]), kNull, OCR_EVENT_LATCH_DECR_SLOT), 0, "ocrEventSatisfySlot()");
  return kNull;
}

void returns_paused() {
  const ocrGuid_t latch = make_latch(rank_count());
  shut_down_after({latch});
  const Made first = make_edt(rank_count() - 1, &return_paused, {}, 1, nullptr, EDT_PROP_NONE, true);
  for (u64 rank = 0; rank < rank_count(); ++rank) {
    const Made then = make_edt(rank, &pause_again, {word_of(latch)}, 1);
    expect_code(ocrAddDependence(first.output, then.edt, 0, DB_MODE_NULL), 0, "an output");
  }
  expect_code(ocrAddDependence(kNull, first.edt, 0, DB_MODE_NULL), 0, "ocrAddDependence()");
}
const Named named_returns_paused("returns-paused", &returns_paused);

// ---- The end of a paused program ----

// Gets its turns until the other has its own, and then waits until the program ends.
ocrGuid_t want_to_pause(u32, u64*, u32, ocrEdtDep_t*) {
  ++shared.begun;
  while (!shared.starts.load()) static_cast<void>(ocrInformLegacyCodeBlocking());
  while (const u32 paused = ocrPause(true)) ocrResume(paused);
  return kNull;
}

// EDTs of all ranks are held, and one on each wants to pause, too.
ocrGuid_t end_while_paused(u32, u64* paramv, u32, ocrEdtDep_t*) {
  while (shared.begun.load() != rank_count()) expect_code(ocrInformLegacyCodeBlocking(), 0, "a wait");
  begin_chains();
  wait_for_ticks(ticks());
  shared.starts = true;
  const u32 paused = ocrPause(true);
  expect(paused == 1, "the program is paused");
  check_that_all_stand_still(true);
  shared.is_over = true;
  if (paramv[0] == 1) ::kill(::getpid(), SIGKILL);
  if (paramv[0] != 0)
    ocrAbort(static_cast<u8>(paramv[0]));
  else
    ocrShutdown();
  return kNull;
}

void end_paused(u64 how) {
  for (u64 rank = 0; rank < rank_count(); ++rank) make_edt(rank, &want_to_pause, {});
  make_edt(rank_count() - 1, &end_while_paused, {how});
}
void ends_paused() { end_paused(0); }
void aborts_paused() { end_paused(77); }
void dies_paused() { end_paused(1); }
const Named named_ends_paused("ends-paused", &ends_paused), named_aborts_paused("aborts-paused", &aborts_paused),
    named_dies_paused("dies-paused", &dies_paused);

}  // namespace

}  // namespace weir::ocr::multi
