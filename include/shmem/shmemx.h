/* SPDX-License-Identifier: Apache-2.0 */

/* What Weir has beyond OpenSHMEM. */
#ifndef SHMEMX_H
#define SHMEMX_H

#include "shmem.h"

/* A hint for shmem_malloc_with_hints(): memory of SHMEM_SYMMETRIC_PARTITION<n>, n from 1 on. Null where there is no such
 * partition. */
#define SHMEMX_MALLOC_PARTITION(n) ((long)(n) << 8)

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds since some time in the past, the same clock on all PEs of a host. */
double shmemx_wtime(void) WEIR_SHMEM_NOTHROW;
double pshmemx_wtime(void) WEIR_SHMEM_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif
