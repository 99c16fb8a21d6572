// SPDX-License-Identifier: Apache-2.0

// Making EDTs, and destroying those that will not run. Any thread that has a Local, its own.
#pragma once

#include "ocr/graph/local.hpp"

namespace weir::ocr {

struct EdtRequest {
  Guid guid;  // when labelled
  Guid edt_template;
  std::uint32_t paramc;
  const u64* paramv;
  std::uint32_t depc;
  const ocrGuid_t* depv;
  std::uint16_t properties;
  const ocrHint_t* hint;
  // Where the GUIDs go, each may be null. They are there before the EDT can run: it may be the one to read them.
  ocrGuid_t* made;
  ocrGuid_t* output;  // read when the event exists already
  const void* site;   // of the program's code that makes it
};
// Another rank has asked for it: the request is a FarRequest. In `properties`, where the program cannot set it.
inline constexpr std::uint16_t kFarRequest = 0x8000;
struct FarRequest : EdtRequest {
  Guid stand_in;  // the EDT that stands for it on that rank (far_edt.hpp); null: none
  bool owns_output = false;
  GivenGuids given;              // the GUID that it is to have; count 0: any
  const EdtKind* creator;        // the EDT that makes it there; null: none
  std::uint64_t first_slot = 0;  // where its slots are, once it is made
};
inline bool is_far_request(const EdtRequest& request) noexcept { return (request.properties & kFarRequest) != 0; }
// What makes EDTs on the thread: the running one, or that of which the running task of the C++ API is part; null:
// neither.
const EdtKind* maker_of(const Local& local) noexcept;
// Makes an EDT on this rank; 0 or an error code. Settles the request in place: a copy would have to wait until the
// stores of the original, and all before them, are in the cache.
u8 create_edt_here(Local& local, const Template& of, EdtRequest& request);
// Its parts, for EDTs that other ranks make: the counts as the EDT will have them; and the output event, made or given.
u8 settle_counts(const Template& of, EdtRequest& request) noexcept;
u8 make_output(Local& local, const EdtRequest& request, Guid& output, std::uint8_t& flags);
// An EDT as it was in the run that has written a checkpoint.
struct PastEdt {
  Guid guid;  // null: its function had returned, and it ends with its scope
  EdtOrigin origin;
  std::uint8_t flags;
  std::uint32_t paramc;
  const u64* paramv;
  std::uint32_t depc;
  Guid output;
  const ocrHint_t* hint;  // null: none
  sched::Scope* scope;    // of the finish EDT that it is in; null: none
  Guid stand_in;          // of one with Edt::kStoodFor
};
// It is there again, with slots that are open, and one more missing: arrive() when they are as they were. Throws
// std::bad_alloc.
Edt& restore_edt(Local& local, const PastEdt& past);
// One that will not run: OCR_EPERM when all its slots are satisfied.
u8 destroy_edt(Local& local, Guid guid);

}  // namespace weir::ocr
