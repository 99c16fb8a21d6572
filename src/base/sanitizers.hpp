// SPDX-License-Identifier: Apache-2.0

// WEIR_ASAN and WEIR_TSAN: 1 in code that is compiled for AddressSanitizer, for ThreadSanitizer, else 0; by gcc and by
// clang, which say it in different ways.
//
// kUnderSanitizer is for tests of what the run-time libraries of both are not ready for (a fork() of several threads,
// little address space), and of what takes them a hundred times as long.
#pragma once

#if defined(__has_feature)
#define WEIR_HAS_FEATURE(feature) __has_feature(feature)
#else
#define WEIR_HAS_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || WEIR_HAS_FEATURE(address_sanitizer)
#define WEIR_ASAN 1
#else
#define WEIR_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__) || WEIR_HAS_FEATURE(thread_sanitizer)
#define WEIR_TSAN 1
#else
#define WEIR_TSAN 0
#endif

namespace weir::base {

inline constexpr bool kUnderSanitizer = WEIR_ASAN || WEIR_TSAN;

}  // namespace weir::base
