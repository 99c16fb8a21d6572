// SPDX-License-Identifier: Apache-2.0

// hold_at_fork(): mutexes of the whole process that fork() holds, so that the child does not find them locked, and what
// they guard half changed, by a thread that it does not have.
//
// Each is a leaf: its holder takes no other lock that fork() holds, and calls no fork(). The functions are called in
// the order of registration, before a fork(), and make what they are asked for when it is not there yet. To be called
// by initialisers of static objects.
#pragma once

#include "base/mutex.hpp"

namespace weir::platform {

// Returns true.
bool hold_at_fork(base::Mutex& (*mutex)()) noexcept;

}  // namespace weir::platform
