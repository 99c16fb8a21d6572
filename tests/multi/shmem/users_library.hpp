// SPDX-License-Identifier: Apache-2.0

// A shared library of the user's with symmetric variables.
#pragma once

namespace users_library {

extern long counter;       // 0 at first
extern long table[10000];  // table[i] == 0
extern int set[3];         // 1, 2, 3
long* hidden();            // a static variable, 5 at first
extern const int fixed;    // read-only

}  // namespace users_library
