// SPDX-License-Identifier: Apache-2.0

#include "ocr/edts/edt_end.hpp"

#include "ocr/graph/edt_hint.hpp"
#include "ocr/graph/event.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/observe/checking.hpp"

namespace weir::ocr {

void finish_edt(Local& local, Edt& edt) {
  drop_hint(edt);
  const checking::Because cause(edt);
  if (!edt.output().is_null()) forward_output(local, edt);
  forget_label(edt);
}

}  // namespace weir::ocr
