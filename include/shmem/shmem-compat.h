/* SPDX-License-Identifier: Apache-2.0 */

/* Older names that shmem.h does not declare, because programs have variables of these names. */
#ifndef SHMEM_COMPAT_H
#define SHMEM_COMPAT_H

#include "shmem.h"

#ifdef __cplusplus
extern "C" {
#endif

WEIR_SHMEM_COMPAT(WEIR_SHMEM_DECLARE_PLAIN)

#ifdef __cplusplus
}
#endif

#endif
