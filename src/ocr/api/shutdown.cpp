// SPDX-License-Identifier: Apache-2.0

// The end of a program, its arguments, and the version of the API.
#include "ocr/api/api.hpp"
#include "ocr/system/system.hpp"

using namespace weir::ocr;

namespace {

u64 offset_of(const void* block, u64 index) noexcept { return static_cast<const u64*>(block)[1 + index]; }

const u8* after_point(const u8* text) noexcept {
  while (text != nullptr && *text != '\0' && *text != '.') ++text;
  return text != nullptr && *text == '.' ? text + 1 : nullptr;
}

u32 number_at(const u8* text) noexcept {
  u32 number = 0;
  for (; text != nullptr && *text >= '0' && *text <= '9'; ++text) number = number * 10 + (*text - '0');
  return number;
}

}  // namespace

extern "C" {

void ocrAbort(u8 errorCode) {
  if (System* const system = System::running()) system->program().shut_down(errorCode);
}
void ocrShutdown(void) { ocrAbort(0); }

u64 ocrGetArgc(void* dbPtr) { return dbPtr == nullptr ? 0 : *static_cast<u64*>(dbPtr); }
char* ocrGetArgv(void* dbPtr, u64 index) {
  return index < ocrGetArgc(dbPtr) ? static_cast<char*>(dbPtr) + offset_of(dbPtr, index) : nullptr;
}
u64 getArgc(void* dbPtr) { return ocrGetArgc(dbPtr); }
char* getArgv(void* dbPtr, u64 index) { return ocrGetArgv(dbPtr, index); }

u32 ocrVersionExtractMajor(u8* version) { return number_at(version); }
u32 ocrVersionExtractMinor(u8* version) { return number_at(after_point(version)); }
u32 ocrVersionExtractPatch(u8* version) { return number_at(after_point(after_point(version))); }
u64 ocrVersionExtensionBitmap(void) {
  return OCR_VERSION_LEGACY_BIT | OCR_VERSION_AFFINITY_BIT | OCR_VERSION_PARAMS_EVT_BIT | OCR_VERSION_COUNTED_EVT_BIT |
         OCR_VERSION_RTITF_BIT | OCR_VERSION_PAUSE_BIT | OCR_VERSION_LABELING_BIT;
}

}  // extern "C"
