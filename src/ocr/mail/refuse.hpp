// SPDX-License-Identifier: Apache-2.0

// What a program asks for that is possible on one rank only: one line on standard error, and the program ends on all
// ranks.
#pragma once

#include "ocr/objects/guid.hpp"
#include "ocr/program/program.hpp"

namespace weir::ocr {

// "weir: ocr: rank 2: <what>, and the program ends". The code that is returned where there is a call to return from.
u8 refuse_across_ranks(Program& program, const char* what) noexcept;
// That only of an object of another rank; else the code for one that does not exist.
u8 refuse_far(Program& program, Guid object, const char* what, u8 otherwise = OCR_EINVAL) noexcept;

}  // namespace weir::ocr
