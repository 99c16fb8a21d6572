// SPDX-License-Identifier: Apache-2.0

// weir topo --shmem: what SHMEM programs have on this machine.
#pragma once

#include "global.hpp"

namespace weir::tool {

// The exit status: not 0 when variables of the environment are wrong, as a program would find them.
int show_shmem(Global& global);

}  // namespace weir::tool
