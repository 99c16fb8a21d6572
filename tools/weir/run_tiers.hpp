// SPDX-License-Identifier: Apache-2.0

// weir run stencil3d, weir run matmul: the applications whose data may be larger than fast memory.
#pragma once

#include "verb.hpp"

namespace weir::tool {

void add_stencil3d(CLI::App& parent, Global& global);
void add_matmul(CLI::App& parent, Global& global);

}  // namespace weir::tool
