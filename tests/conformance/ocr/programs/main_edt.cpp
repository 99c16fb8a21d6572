// SPDX-License-Identifier: Apache-2.0

// Without extern "C".
#include "main_edt.c"
