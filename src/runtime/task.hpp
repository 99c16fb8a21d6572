// SPDX-License-Identifier: Apache-2.0

// What a front end, a layer above that has tasks of its own, has of tasks: their memory, and the scopes that count
// them.
//
// A task of a front end is a sched::Task whose `invoke` is a function of that front end. It waits for data by a
// TaskData (task_data.hpp), and ends later by its scope: with its children (sched::Scope), with those of the C++ API
// that it has spawned (SpawnScope::end_by()), with what it has begun elsewhere (completion.hpp). workers.hpp has those
// who run it.
#pragma once

#include "sched/gate.hpp"   // IWYU pragma: export
#include "sched/scope.hpp"  // IWYU pragma: export
#include "sched/task.hpp"   // IWYU pragma: export
