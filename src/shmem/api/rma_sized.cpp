// SPDX-License-Identifier: Apache-2.0

// shmem_put32, shmem_putmem and their like: remote memory access, for elements of a width.
#include "shmem/api/rma.hpp"

WEIR_SHMEM_SIZES(WEIR_SHMEM_SIZED, WEIR_SHMEM_DEFINE_WIDE_CTX)
WEIR_SHMEM_SIZED(WEIR_SHMEM_DEFINE_WIDE_CTX, mem, 1)
WEIR_SHMEM_SIZES(WEIR_SHMEM_SIZED_STRIDED, WEIR_SHMEM_DEFINE_WIDE_CTX)
