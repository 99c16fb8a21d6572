// SPDX-License-Identifier: Apache-2.0

// The words of the seam between a program and its checker (check/hooks.hpp), as the checker uses them.
#pragma once

#include "check/hash.hpp"
#include "check/hooks.hpp"

namespace weir::checker {

using check::Cause;
using check::EventKey;
using check::Extent;
using check::Hash;
using check::hash_of;
using check::Item;
using check::kPageBytes;
using check::NewTask;
using check::Sharing;
using check::TaskRecord;

}  // namespace weir::checker
