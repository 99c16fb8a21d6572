// SPDX-License-Identifier: Apache-2.0

// shmem_<type>_put and its like: remote memory access, for types.
#include "shmem/api/rma.hpp"

WEIR_SHMEM_RMA_TYPES(WEIR_SHMEM_RMA, WEIR_SHMEM_DEFINE_TYPED_CTX)
