// SPDX-License-Identifier: Apache-2.0

// WEIR_UNDER_SANITIZER: 1 in a program with AddressSanitizer or ThreadSanitizer, else 0. For what neither's run-time
// library is ready for, a fork() of several threads, and for what takes them a hundred times as long.
#pragma once

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define WEIR_UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define WEIR_UNDER_SANITIZER 1
#endif
#endif
#ifndef WEIR_UNDER_SANITIZER
#define WEIR_UNDER_SANITIZER 0
#endif
