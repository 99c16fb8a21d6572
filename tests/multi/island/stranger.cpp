// SPDX-License-Identifier: Apache-2.0

// A worker that has none of the tasks: island_stranger FILE.
#include "weir/island.hpp"

int main(int, char** argv) { weir::island::attach(argv[1]); }
