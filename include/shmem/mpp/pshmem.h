/* SPDX-License-Identifier: Apache-2.0 */

/* The names for profilers under their older header. */
#include "../shmem.h"
