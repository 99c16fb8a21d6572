// SPDX-License-Identifier: Apache-2.0

// What becomes of a message for which there is no memory: the process ends, and says so. A message is awaited, so none
// may be left out, and who sends or receives one cannot hand an exception on.
#pragma once

#include <new>

#include "base/mutex.hpp"

namespace weir::transport {

// "no memory for <what>", and what to do.
[[noreturn]] void end_without_memory(const char* what) noexcept;

// f(), where `what` needs memory. Any thread. Not analysed: the caller holds the mutexes that f() needs.
template <class F>
decltype(auto) or_end_without_memory(const char* what, F&& f) WEIR_NOT_ANALYSED {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    end_without_memory(what);
  }
}

}  // namespace weir::transport
