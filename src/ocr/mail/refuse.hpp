// SPDX-License-Identifier: Apache-2.0

// What a program asks for that is possible on one rank only: one line on standard error, and the program ends on all ranks.
#pragma once

#include "ocr/program/program.hpp"

namespace weir::ocr {

// "weir: ocr: rank 2: <what>, and the program ends". The code that is returned where there is a call to return from.
u8 refuse_across_ranks(Program& program, const char* what) noexcept;

}  // namespace weir::ocr
