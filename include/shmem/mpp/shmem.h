/* SPDX-License-Identifier: Apache-2.0 */

/* OpenSHMEM's header under its older name. */
#include "../shmem.h"
