// SPDX-License-Identifier: Apache-2.0

// What the library says of itself at the start, when the environment asks for it.
#pragma once

namespace weir::shmem::api {

// At the first start, on PE 0: the version for SHMEM_VERSION (or SMA_VERSION), and for SHMEM_INFO (or SMA_INFO) the
// variables that there are, with what they are set to. Any thread; once.
void tell_what_is_asked();

}  // namespace weir::shmem::api
