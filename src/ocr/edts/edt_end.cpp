// SPDX-License-Identifier: Apache-2.0

#include "ocr/edts/edt_end.hpp"

#include "ocr/graph/edt_hint.hpp"
#include "ocr/graph/event.hpp"
#include "ocr/graph/far.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/observe/checking.hpp"

namespace weir::ocr {

void finish_edt(Local& local, Edt& edt) {
  drop_hint(edt);
  const checking::Because cause(edt);
  if (!edt.output().is_null()) forward_output(local, edt);
  if (edt.has(Edt::kStoodFor)) [[unlikely]]
    satisfy_stand_in(edt);
  forget_label(edt);
}

void satisfy_stand_in(Edt& edt) { static_cast<void>(satisfy_far({edt.body().stand_in()}, 0, {}, DB_DEFAULT_MODE)); }

}  // namespace weir::ocr
