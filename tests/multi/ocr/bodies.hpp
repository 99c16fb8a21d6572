// SPDX-License-Identifier: Apache-2.0

// What the ranks of the program ocr_rank run, by name, and what the bodies have in common: mainEdt() on rank 0 calls
// one, which is to end in ocrShutdown(). What is not as it should be is said, and ends the program with status 1.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "ocr/extensions/ocr-affinity.h"
#include "ocr/extensions/ocr-labeling.h"
#include "ocr/extensions/ocr-legacy.h"
#include "ocr/extensions/ocr-runtime-itf.h"
#include "ocr/ocr.h"

namespace weir::ocr::multi {

using Body = void (*)();
struct Named {
  Named(const char* name, Body body);
};

// Of the C API: called in EDTs.
void expect(bool is_true, const char* what);
void expect_code(u8 code, u8 wanted, const char* what);

// ---- Ranks, seen as affinities ----

std::uint64_t rank_count();
// Of the running EDT.
std::uint64_t this_rank();
ocrGuid_t affinity_of_rank(std::uint64_t rank);
ocrHint_t on_rank(std::uint64_t rank);

// ---- Shorter ----

inline constexpr ocrGuid_t kNull = NULL_GUID_INITIALIZER;

template <class T>
u64 word_of(T guid) {
  static_assert(sizeof(guid) >= sizeof(u64));
  u64 word;
  __builtin_memcpy(&word, &guid, sizeof word);
  return word;
}
ocrGuid_t guid_of(u64 word);
ocrGuid_t make_template(ocrEdt_t function, u32 paramc, u32 depc);
ocrGuid_t make_event(ocrEventTypes_t type);
ocrGuid_t make_latch(u64 count);
ocrGuid_t label_of(ocrGuid_t range, u64 index);

struct Made {
  ocrGuid_t edt = NULL_GUID, output = NULL_GUID;
};
// An EDT on a rank; depc slots are open where depv is null.
Made make_edt(std::uint64_t rank, ocrEdt_t function, const std::vector<u64>& params, u32 depc = 0,
              const ocrGuid_t* depv = nullptr, u16 properties = EDT_PROP_NONE, bool wants_output = false);
// Ends the program when all of these have fired.
void shut_down_after(const std::vector<ocrGuid_t>& events);

}  // namespace weir::ocr::multi
