// SPDX-License-Identifier: Apache-2.0

// What main() of the programs over ranks does.
#pragma once

#include <cstdio>
#include <exception>

namespace weir::apps::ranks {

// The exit status of `run`; 1, and a line on standard error, when it throws.
inline int main_of(int (*run)(int argc, char** argv), int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace weir::apps::ranks
