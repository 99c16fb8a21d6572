// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/lent.hpp"

#include "ocr/blocks/copies.hpp"
#include "ocr/graph/acquire.hpp"

namespace weir::ocr {

Answer answer_lent(Local& local, Reader& body) {
  const auto made = body.get<LoanMade>();
  Edt& edt = *reinterpret_cast<Edt*>(made.of.edt);
  if (made.exists)
    block_granted(local, edt, make_copy(local, made.of.block, made.of.mode, body.rest()));
  else
    block_missing(local, edt);
  return {};
}

}  // namespace weir::ocr
