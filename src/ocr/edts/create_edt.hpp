// SPDX-License-Identifier: Apache-2.0

// Making EDTs, and destroying those that will not run. Any thread that has a Local, its own.
#pragma once

#include "ocr/graph/local.hpp"

namespace weir::ocr {

// That an EDT is made for another rank, and by which EDT it is stood for there (far_edt.hpp).
struct FarMaker {
  Guid stand_in;  // null: by none
  bool owns_output = false;
  std::uint64_t* first_slot = nullptr;  // where the address of its slots goes
};

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
  const FarMaker* far = nullptr;
};
// Makes an EDT on this rank; 0 or an error code. Settles the request in place: a copy would have to wait until the
// stores of the original, and all before them, are in the cache.
u8 create_edt_here(Local& local, const Template& of, EdtRequest& request);
// Its parts, for EDTs that other ranks make: the counts as the EDT will have them; and the output event, made or given.
u8 settle_counts(const Template& of, EdtRequest& request) noexcept;
u8 make_output(Local& local, const EdtRequest& request, Guid& output, std::uint8_t& flags);
// One that will not run: OCR_EPERM when all its slots are satisfied.
u8 destroy_edt(Local& local, Guid guid);

}  // namespace weir::ocr
