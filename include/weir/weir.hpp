// SPDX-License-Identifier: Apache-2.0

// The whole public C++ API of Weir.
#pragma once

#include "weir/array.hpp"          // IWYU pragma: export
#include "weir/block.hpp"          // IWYU pragma: export
#include "weir/completion.hpp"     // IWYU pragma: export
#include "weir/error.hpp"          // IWYU pragma: export
#include "weir/footprint.hpp"      // IWYU pragma: export
#include "weir/items.hpp"          // IWYU pragma: export
#include "weir/keep.hpp"           // IWYU pragma: export
#include "weir/loop_affinity.hpp"  // IWYU pragma: export
#include "weir/options.hpp"        // IWYU pragma: export
#include "weir/parallel.hpp"       // IWYU pragma: export
#include "weir/runtime.hpp"        // IWYU pragma: export
#include "weir/task.hpp"           // IWYU pragma: export
#include "weir/tier.hpp"           // IWYU pragma: export
