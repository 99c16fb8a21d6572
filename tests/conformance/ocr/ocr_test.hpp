// SPDX-License-Identifier: Apache-2.0

// What the conformance tests share: an OCR runtime for each test, and EDTs written as lambdas.
//
// Every test runs with 1, 2 and 8 workers, and each file is compiled for GUIDs of one and of two words. Tests say what
// they do outside of EDTs on the thread that started OCR (legacy mode), and what they do in EDTs with in_edt() and
// edt(). Built with ranks.cpp they run on rank 0 of a job, and what event() and block() make is on another rank.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "extensions/ocr-affinity.h"
#include "extensions/ocr-labeling.h"
#include "extensions/ocr-legacy.h"
#include "extensions/ocr-pause.h"
#include "extensions/ocr-runtime-itf.h"
#include "ocr.h"

inline bool operator==(ocrGuid_t a, ocrGuid_t b) { return ocrGuidIsEq(a, b); }
inline bool operator!=(ocrGuid_t a, ocrGuid_t b) { return !ocrGuidIsEq(a, b); }

namespace ocr_test {

// A GUID of no object: 42, or a large number.
inline ocrGuid_t foreign(std::intptr_t number = 42) {
  ocrGuid_t guid = NULL_GUID;
  GUIDA(guid) = number;
  return guid;
}

using Body = std::function<ocrGuid_t(u32 depc, ocrEdtDep_t* depv)>;

// An EDT with that many slots that runs the body once.
struct EdtOptions {
  u16 properties = EDT_PROP_NONE;
  ocrGuid_t* output = nullptr;
  ocrHint_t* hint = nullptr;
  const std::vector<ocrGuid_t>* depv = nullptr;
};
ocrGuid_t edt(u32 depc, Body body, EdtOptions options = {});
// Bodies are kept until then, since some EDTs never run.
void forget_bodies();

// ---- one_process.cpp, ranks.cpp ----

// A block with one u64, released by its maker.
ocrGuid_t block(u64 value = 0);
ocrGuid_t event(ocrEventTypes_t type, ocrEventParams_t* params = nullptr);
// They are of another rank: some of what is wrong is noticed later then (docs/ocr.md).
bool are_elsewhere();

class OcrTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override;
  void TearDown() override;
  // Runs it in an EDT, and waits until that and all EDTs it has made have ended.
  void in_edt(const std::function<void()>& body);
  // Waits until the event is satisfied.
  ocrGuid_t wait_for(ocrGuid_t sticky);

 private:
  ocrGuid_t context_ = NULL_GUID;
};

}  // namespace ocr_test

#define OCR_TEST_SUITE(Name)                                                                                           \
  class Name : public ocr_test::OcrTest {};                                                                            \
  INSTANTIATE_TEST_SUITE_P(Workers, Name, testing::Values(1, 2, 8),                                                    \
                           [](const testing::TestParamInfo<int>& i) { return std::to_string(i.param); })
