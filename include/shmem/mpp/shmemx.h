/* SPDX-License-Identifier: Apache-2.0 */

/* The header of the extensions under its older name. */
#include "../shmemx.h"
