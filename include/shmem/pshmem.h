/* SPDX-License-Identifier: Apache-2.0 */

/* The names for profilers, which shmem.h declares, too. */
#include "shmem.h"
