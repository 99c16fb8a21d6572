// SPDX-License-Identifier: Apache-2.0

// What a front end (task.hpp) has of blocks: the store that they are in, and requests for them. What a task asks of the
// store it asks by its TaskData.
#pragma once

#include "data/block.hpp"  // IWYU pragma: export
#include "data/store.hpp"  // IWYU pragma: export
