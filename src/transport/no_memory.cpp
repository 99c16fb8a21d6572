// SPDX-License-Identifier: Apache-2.0

#include "transport/no_memory.hpp"

#include <cstdio>
#include <cstdlib>

namespace weir::transport {

void end_without_memory(const char* what) noexcept {
  std::fprintf(stderr,
               "weir: no memory for %s, and messages cannot be left out: give the ranks of this host more memory, or "
               "start fewer of them there\n",
               what);
  std::abort();
}

}  // namespace weir::transport
