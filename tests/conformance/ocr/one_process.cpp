// SPDX-License-Identifier: Apache-2.0

// The tests in a process of its own, which starts OCR for each.
#include <cstdlib>

#include "ocr_test.hpp"

namespace ocr_test {

ocrGuid_t block(u64 value) {
  ocrGuid_t guid = NULL_GUID;
  void* data = nullptr;
  EXPECT_EQ(ocrDbCreate(&guid, &data, sizeof value, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
  *static_cast<u64*>(data) = value;
  EXPECT_EQ(ocrDbRelease(guid), 0);
  return guid;
}

ocrGuid_t event(ocrEventTypes_t type, ocrEventParams_t* params) {
  ocrGuid_t guid = NULL_GUID;
  EXPECT_EQ(ocrEventCreateParams(&guid, type, EVT_PROP_TAKES_ARG, params), 0);
  return guid;
}

bool are_elsewhere() { return false; }

void OcrTest::SetUp() {
  setenv("WEIR_WORKERS", std::to_string(GetParam()).c_str(), 1);
  ocrLegacyInit(&context_, nullptr);
}

void OcrTest::TearDown() {
  EXPECT_EQ(ocrLegacyFinalize(context_, false), 0);
  forget_bodies();
}

}  // namespace ocr_test
