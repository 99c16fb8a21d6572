// SPDX-License-Identifier: Apache-2.0

#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace weir::base {

void check_failed(const char* file, int line, const char* condition, const char* reason) noexcept {
  std::fprintf(stderr, "weir: %s (%s is false at %s:%d)\n", reason, condition, file, line);
  std::abort();
}

}  // namespace weir::base
