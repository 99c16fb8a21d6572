// SPDX-License-Identifier: Apache-2.0

// The same as C++.
#include "suites.c"  // NOLINT(bugprone-suspicious-include)
