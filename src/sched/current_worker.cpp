// SPDX-License-Identifier: Apache-2.0

#include "sched/current_worker.hpp"

namespace weir::sched {

thread_local constinit CurrentWorker::Here CurrentWorker::here_;

}  // namespace weir::sched
