// SPDX-License-Identifier: Apache-2.0

// Pause, query, resume.
#include "ocr/extensions/ocr-pause.h"

#include <cstring>
#include <vector>

#include "ocr/api/api.hpp"
#include "ocr/pause/everywhere.hpp"
#include "ocr/pause/query.hpp"

using namespace weir::ocr;

extern "C" {

u32 ocrPause(bool isBlocking) {
  bool has_paused = false;
  static_cast<void>(in_program([&](Local& local) -> u8 {
    has_paused = pause_everywhere(local, isBlocking);
    return 0;
  }));
  return has_paused ? 1 : 0;
}

ocrGuid_t ocrQuery(ocrQueryType_t query, ocrGuid_t guid, void** result, u32* size, u8) {
  ocrGuid_t block = NULL_GUID;
  if (size != nullptr) *size = 0;
  if (result != nullptr) *result = nullptr;
  static_cast<void>(in_program([&](Local& local) -> u8 {
    if (!is_paused_by(local)) return OCR_EPERM;
    if (query < OCR_QUERY_READY_EDTS || query > OCR_QUERY_ALL_EDTS) return OCR_EINVAL;
    const std::vector<ocrGuid_t> found = query_everywhere(local.program, query, from_c(guid));
    void* data = nullptr;
    const u64 bytes = found.size() * sizeof(ocrGuid_t);
    if (const u8 code = ocrDbCreate(&block, &data, bytes, DB_PROP_NONE, nullptr, NO_ALLOC)) return code;
    if (!found.empty()) std::memcpy(data, found.data(), bytes);
    if (result != nullptr) *result = data;
    if (size != nullptr) *size = static_cast<u32>(bytes);
    return 0;
  }));
  return block;
}

void ocrResume(u32 flag) {
  static_cast<void>(in_program([&](Local& local) -> u8 {
    if (flag != 0) resume_everywhere(local);
    return 0;
  }));
}

void ocrInjectFault(void) {}

}  // extern "C"
