// SPDX-License-Identifier: Apache-2.0

#include "ocr/edts/edt_end.hpp"

#include "ocr/graph/edt_hint.hpp"
#include "ocr/graph/event.hpp"
#include "ocr/graph/far.hpp"
#include "ocr/graph/slots.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/observe/checking.hpp"

namespace weir::ocr {

void finish_edt(Local& local, Edt& edt) {
  drop_hint(edt);
  const checking::Because cause(edt);
  if (!edt.output().is_null()) forward_output(local, edt);
  if (edt.has(Edt::kStoodFor)) [[unlikely]]
    satisfy_stand_in(local, edt);
  forget_label(edt);
}

// Where it is elsewhere, posted: that the scope there ends is a consequence, for which the end of this EDT does not
// wait.
void satisfy_stand_in(Local& local, Edt& edt) {
  const Guid stand_in{edt.body().stand_in()};
  if (!is_far(stand_in)) {
    static_cast<void>(satisfy_slot(local, stand_in, 0, {}, DB_DEFAULT_MODE));  // else it was destroyed
    return;
  }
  Mail::running()->post(home_of(stand_in), Say::satisfy, Writer().put(Satisfaction{stand_in, {}, 0, DB_DEFAULT_MODE}));
}

}  // namespace weir::ocr
