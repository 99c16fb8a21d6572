// SPDX-License-Identifier: Apache-2.0

// In C++: a mainEdt() that is extern "C" and declares its dependences otherwise, as some programs do.
#include "ocr.h"

namespace {
class Greeting {
 public:
  explicit Greeting(int times) : times_(times) {}
  void say() const {
    for (int i = 0; i < times_; ++i) ocrPrintf("hello %d of %d\n", i + 1, times_);
  }

 private:
  int times_;
};
}  // namespace

extern "C" ocrGuid_t mainEdt(u32 paramc, u64* paramv, u32 depc, u64* depv) {
  const bool as_promised = paramc == 0 && paramv == nullptr && depc == 1 && depv != nullptr;
  Greeting(as_promised ? 2 : 0).say();
  ocrShutdown();
  return NULL_GUID;
}
