// SPDX-License-Identifier: Apache-2.0

// In C++: an EDT throws. What depends on it does not begin, and the program ends.
#include <cstring>
#include <stdexcept>

#define OCR_ENABLE_EDT_NAMING
#include "ocr.h"
#include "weir/weir.hpp"

namespace {
ocrGuid_t leaf(u32, u64*, u32, ocrEdtDep_t[]) { throw std::runtime_error("no such element"); }
ocrGuid_t spawner(u32, u64*, u32, ocrEdtDep_t[]) {
  weir::spawn([] { throw std::runtime_error("of a task"); });
  return NULL_GUID;
}
ocrGuid_t adder(u32, u64* paramv, u32, ocrEdtDep_t[]) { throw paramv[0]; }
ocrGuid_t follower(u32, u64*, u32, ocrEdtDep_t[]) {
  ocrAbort(9);
  return NULL_GUID;
}

// An EDT with slots and parameters, on a block, that another one waits for.
void make_adder(ocrGuid_t block) {
  ocrGuid_t adds, follows, edt, next, output;
  ocrEdtTemplateCreate(&adds, adder, 1, 1);
  ocrEdtTemplateCreate(&follows, follower, 0, 1);
  u64 number = 7;
  ocrEdtCreate(&edt, adds, EDT_PARAM_DEF, &number, EDT_PARAM_DEF, nullptr, EDT_PROP_FINISH, NULL_HINT, &output);
  ocrEdtCreate(&next, follows, EDT_PARAM_DEF, nullptr, EDT_PARAM_DEF, &output, EDT_PROP_NONE, NULL_HINT, nullptr);
  ocrAddDependence(block, edt, 0, DB_MODE_RW);
}

void make_spawner() {
  ocrGuid_t of, edt;
  ocrEdtTemplateCreate(&of, spawner, 0, 0);
  ocrEdtCreate(&edt, of, EDT_PARAM_DEF, nullptr, EDT_PARAM_DEF, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr);
}

void make_leaf() {
  ocrGuid_t of, edt;
  ocrEdtTemplateCreate(&of, leaf, 0, 0);
  ocrEdtCreate(&edt, of, EDT_PARAM_DEF, nullptr, EDT_PARAM_DEF, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr);
}
}  // namespace

ocrGuid_t mainEdt(u32, u64*, u32, ocrEdtDep_t depv[]) {
  const char* const what = ocrGetArgv(depv[0].ptr, 1);
  ocrPrintf("%s\n", what);
  if (std::strcmp(what, "main") == 0) throw std::logic_error("at once");
  if (std::strcmp(what, "leaf") == 0) make_leaf();
  if (std::strcmp(what, "task") == 0) make_spawner();
  if (std::strcmp(what, "adder") == 0) make_adder(depv[0].guid);
  return NULL_GUID;
}
