// SPDX-License-Identifier: Apache-2.0

#include "ocr/mail/refuse.hpp"

#include <cstdio>

#include "ocr/objects/home.hpp"

namespace weir::ocr {

u8 refuse_across_ranks(Program& program, const char* what) noexcept {
  std::fflush(stdout);
  std::fprintf(stderr, "weir: ocr: rank %u: %s, and the program ends; on one rank it is possible\n", homes().here,
               what);
  program.shut_down(OCR_ENOTSUP);
  return OCR_ENOTSUP;
}

u8 refuse_far(Program& program, Guid object, const char* what, u8 otherwise) noexcept {
  return is_far(object) ? refuse_across_ranks(program, what) : otherwise;
}

}  // namespace weir::ocr
