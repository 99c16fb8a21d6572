// SPDX-License-Identifier: Apache-2.0

// OCR programs of which no checkpoint can be made: `ocr_unwritable WHAT`. EDTs follow one another until a line comes on
// standard input, or Weir ends the program.
//
//   static      a variable with static storage is written
//   collective  there is a collective event
//   thread      a thread of the program's own uses OCR
//   waits       an EDT waits within its function, until the line comes
//   tasks       an EDT has tasks of the C++ API, which end when the line comes
//   nothing     none of these: a checkpoint can be made
//
// Over ranks that is so on the last one, and EDTs follow one another on the first.
#include <extensions/ocr-affinity.h>
#include <extensions/ocr-legacy.h>
#include <ocr.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string_view>
#include <thread>
#include <weir/weir.hpp>

namespace {

volatile int written = 1;
enum class What : u64 { nothing, statics, collective, thread, waits, tasks };
constexpr std::string_view kNames[] = {"nothing", "static", "collective", "thread", "waits", "tasks"};

bool line_has_come() {
  pollfd input{0, POLLIN, 0};
  return poll(&input, 1, 0) > 0;
}

ocrGuid_t make(ocrEdt_t function, u32 paramc, u64* paramv, u16 properties, ocrGuid_t* output) {
  ocrGuid_t of, edt;
  ocrEdtTemplateCreate(&of, function, paramc, 0);
  ocrEdtCreate(&edt, of, paramc, paramv, 0, nullptr, properties, nullptr, output);
  ocrEdtTemplateDestroy(of);
  return edt;
}

// Parameter: an event to be satisfied when the line has come, or NULL_GUID.
ocrGuid_t again(u32 paramc, u64* paramv, u32, ocrEdtDep_t*) {
  volatile unsigned x = 0;
  for (unsigned i = 0; i < 20'000; ++i) x = x + i;
  if (!line_has_come()) {
    make(again, paramc, paramv, EDT_PROP_NONE, nullptr);
    return NULL_GUID;
  }
  const auto& event = *reinterpret_cast<const ocrGuid_t*>(paramv);
  if (ocrGuidIsNull(event))
    ocrShutdown();
  else
    ocrEventSatisfy(event, NULL_GUID);
  return NULL_GUID;
}

constexpr u32 kGuidWords = sizeof(ocrGuid_t) / sizeof(u64);

ocrGuid_t waiter(u32, u64*, u32, ocrEdtDep_t*) {
  ocrGuid_t event;
  ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE);
  make(again, kGuidWords, reinterpret_cast<u64*>(&event), EDT_PROP_NONE, nullptr);
  ocrLegacyBlockProgress(event, nullptr, nullptr, nullptr, LEGACY_PROP_NONE);
  ocrShutdown();
  return NULL_GUID;
}

ocrGuid_t spawner(u32, u64*, u32, ocrEdtDep_t*) {
  weir::spawn([] {
    while (!line_has_come()) std::this_thread::yield();
  });
  return NULL_GUID;
}

void use_ocr() {
  ocrGuid_t event;
  ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE);
}

void prepare(What what) {
  switch (what) {
    case What::statics: written = 2; break;
    case What::collective: {
      ocrGuid_t event;
      ocrEventParams_t params{};
      params.EVENT_COLLECTIVE.maxGen = 1, params.EVENT_COLLECTIVE.nbContribs = 1;
      params.EVENT_COLLECTIVE.nbContribsPd = 1, params.EVENT_COLLECTIVE.nbDatum = 1;
      params.EVENT_COLLECTIVE.op = REDOP_U8_ADD, params.EVENT_COLLECTIVE.type = COL_ALLREDUCE;
      params.EVENT_COLLECTIVE.reuseDbPerGen = true;
      if (ocrEventCreateParams(&event, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &params) != 0) ocrAbort(9);
      break;
    }
    case What::thread: std::thread(use_ocr).join(); break;
    case What::tasks: make(spawner, 0, nullptr, EDT_PROP_NONE, nullptr); break;
    default: break;
  }
}

ocrGuid_t preparer(u32, u64* paramv, u32, ocrEdtDep_t*) {
  prepare(static_cast<What>(paramv[0]));
  return NULL_GUID;
}

void prepare_on_last_rank(u64 what) {
  u64 count = 0;
  ocrGuid_t affinity, of, edt;
  ocrHint_t hint;
  ocrAffinityCount(AFFINITY_PD, &count);
  ocrAffinityGetAt(AFFINITY_PD, count - 1, &affinity);
  ocrHintInit(&hint, OCR_HINT_EDT_T);
  ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(affinity));
  ocrEdtTemplateCreate(&of, preparer, 1, 0);
  ocrEdtCreate(&edt, of, 1, &what, 0, nullptr, EDT_PROP_NONE, &hint, nullptr);
}

}  // namespace

extern "C" ocrGuid_t mainEdt(u32, u64*, u32, ocrEdtDep_t* depv) {
  const std::string_view name = ocrGetArgc(depv[0].ptr) > 1 ? ocrGetArgv(depv[0].ptr, 1) : "nothing";
  What what = What::nothing;
  for (u64 i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) what = static_cast<What>(i);
  prepare_on_last_rank(static_cast<u64>(what));
  if (what == What::waits) {
    make(waiter, 0, nullptr, EDT_PROP_NONE, nullptr);
  } else {
    ocrGuid_t none = NULL_GUID;
    make(again, kGuidWords, reinterpret_cast<u64*>(&none), EDT_PROP_NONE, nullptr);
  }
  return NULL_GUID;
}
