// SPDX-License-Identifier: Apache-2.0

// What a front end (task.hpp) has of those who run its tasks: workers, their scheduler, and how their threads wait.
#pragma once

#include "sched/blocking.hpp"   // IWYU pragma: export
#include "sched/scheduler.hpp"  // IWYU pragma: export
#include "sched/worker.hpp"     // IWYU pragma: export
