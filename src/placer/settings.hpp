// SPDX-License-Identifier: Apache-2.0

// What the variable of wire.hpp says, read once, when the library is loaded.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

namespace weir::placer {

struct Settings {
  std::size_t from = SIZE_MAX;          // allocations from this size on are placed by mbind(); SIZE_MAX: none is
  int mode = -1;                        // of mbind(); -1: there is a single memory node, nothing is placed
  int one = -1;                         // the only memory node: where all pages are; -1: the kernel is asked
  unsigned long nodes[1024 / 64] = {};  // the kernel's numbers as bits, for mbind()
  char report[PATH_MAX] = {};           // file; "": nobody is told
  bool active = false;                  // the variable is there, and makes sense
};

// Without effect when the text is not one that weir has made.
void read(Settings& settings, const char* text) noexcept;

}  // namespace weir::placer
