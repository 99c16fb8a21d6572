// SPDX-License-Identifier: Apache-2.0

// Running EDTs: what a worker calls when it takes one, and what follows when it has returned.
#pragma once

#include "runtime/task.hpp"

namespace weir::ocr {

// The invoke function of the tasks of EDTs.
void run_edt(void* closure, sched::Task* task, weir::detail::Invoke what);

}  // namespace weir::ocr
