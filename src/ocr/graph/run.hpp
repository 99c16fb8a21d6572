// SPDX-License-Identifier: Apache-2.0

// Running EDTs: what a worker calls when it takes one, and what follows when it has returned.
#pragma once

#include "ocr/objects/edt.hpp"

namespace weir::ocr {

// The invoke function of the tasks of EDTs.
void run_edt(void* closure, sched::Task* task, weir::detail::Invoke what);
// The EDT has ended, with all in its scope: its output event gets what it returned.
void finish_edt(Local& local, Edt& edt);
// An EDT that will never run leaves its scope; the output event that was made for it goes, too.
void leave_unrun(Local& local, Edt& edt);

}  // namespace weir::ocr
