// SPDX-License-Identifier: Apache-2.0

// A new EDT, on this rank or another. Any thread that has a Local.
#pragma once

#include "ocr/edts/create_edt.hpp"
#include "ocr/objects/home.hpp"

namespace weir::ocr {

// Where the program runs on several ranks. `of`: null when the template is none of this rank.
[[gnu::noinline]] u8 create_edt_of_ranks(Local& local, const Template* of, EdtRequest& request);

// Makes it where its hints say. 0 or an error code. As create_edt_here().
inline u8 create_edt(Local& local, EdtRequest& request) {
  const Template* const of = find_object(templates(), Kind::edt_template, request.edt_template);
  if (is_spread()) [[unlikely]]
    return create_edt_of_ranks(local, of, request);
  return of == nullptr ? u8{OCR_EINVAL} : create_edt_here(local, *of, request);
}

}  // namespace weir::ocr
