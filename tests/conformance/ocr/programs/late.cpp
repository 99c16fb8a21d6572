// SPDX-License-Identifier: Apache-2.0

// In C++: EDTs spawn tasks, which make EDTs, in a finish EDT and in one that is none; what encloses them ends after
// them. With the argument "shutdown": the program ends when the tasks of its EDTs have ended.
#include <atomic>
#include <cstdio>
#include <cstring>

#define OCR_ENABLE_EDT_NAMING
#include "ocr.h"
#include "weir/weir.hpp"

namespace {

constexpr int kTasks = 50;

std::atomic<int> done{0};
int of_plain[8], of_finish[8];

ocrGuid_t leaf(u32, u64*, u32, ocrEdtDep_t[]) { return ++done, NULL_GUID; }

void make(ocrEdt_t function) {
  ocrGuid_t of, edt;
  ocrEdtTemplateCreate(&of, function, 0, 0);
  ocrEdtCreate(&edt, of, EDT_PARAM_DEF, nullptr, EDT_PARAM_DEF, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr);
}

void spawn_tasks(int* values) {
  for (int i = 0; i < kTasks; ++i) {
    weir::spawn(weir::inout(values[i % 8]), [](int& value) {
      ++value;
      ++done;
      make(leaf);
    });
  }
}

ocrGuid_t plain(u32, u64*, u32, ocrEdtDep_t[]) {
  weir::spawn([] { spawn_tasks(of_plain); });
  return NULL_GUID;
}

ocrGuid_t finish(u32, u64*, u32, ocrEdtDep_t[]) {
  make(leaf);
  make(plain);
  spawn_tasks(of_finish);
  weir::wait();
  weir::spawn([mine = weir::end_later()]() mutable {
    ++done;
    mine.complete();
  });
  return NULL_GUID;
}

ocrGuid_t follow(u32, u64*, u32, ocrEdtDep_t[]) {
  const int expected = 2 + 4 * kTasks;
  ocrPrintf("%d of %d\n", done.load(), expected);
  done == expected ? ocrShutdown() : ocrAbort(3);
  return NULL_GUID;
}

// After the runtime's end.
struct AtExit {
  ~AtExit() { std::printf("%d at the end\n", done.load()); }
} at_exit;

}  // namespace

ocrGuid_t mainEdt(u32, u64*, u32, ocrEdtDep_t depv[]) {
  if (ocrGetArgc(depv[0].ptr) > 1 && std::strcmp(ocrGetArgv(depv[0].ptr, 1), "shutdown") == 0) {
    for (int i = 0; i < kTasks; ++i) weir::spawn(weir::inout(of_plain[0]), [](int&) { ++done; });
    ocrShutdown();
    return NULL_GUID;
  }
  ocrGuid_t of, edt, last, output;
  ocrEdtTemplateCreate(&of, finish, 0, 1);
  ocrEdtCreate(&edt, of, EDT_PARAM_DEF, nullptr, EDT_PARAM_DEF, nullptr, EDT_PROP_FINISH, NULL_HINT, &output);
  ocrEdtTemplateCreate(&of, follow, 0, 1);
  ocrEdtCreate(&last, of, EDT_PARAM_DEF, nullptr, EDT_PARAM_DEF, &output, EDT_PROP_NONE, NULL_HINT, nullptr);
  ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL);
  return NULL_GUID;
}
