// SPDX-License-Identifier: Apache-2.0

// WEIR_CHECK and WEIR_ASSERT: a broken precondition ends the process with the place and the reason.
//
// WEIR_CHECK is always compiled in and is for what is cheap; WEIR_ASSERT only in debug builds. Neither is for what
// the environment can refuse: see result.hpp.
#pragma once

namespace weir::base {

[[noreturn]] void check_failed(const char* file, int line, const char* condition, const char* reason) noexcept;

}  // namespace weir::base

#define WEIR_CHECK(condition, reason)                                                                                  \
  ((condition) ? void() : ::weir::base::check_failed(__FILE__, __LINE__, #condition, reason))

#ifdef NDEBUG
#define WEIR_ASSERT(condition, reason) void(0)
#else
#define WEIR_ASSERT(condition, reason) WEIR_CHECK(condition, reason)
#endif
