// SPDX-License-Identifier: Apache-2.0

// A shared library of the user's that programs load and close.
long a_large_variable[1 << 18] = {1};
