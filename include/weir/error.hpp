// SPDX-License-Identifier: Apache-2.0

// What Weir throws: the environment refused something (a bad option, no such domain, no memory).
//
// what() is one line that names what was asked, what there was, and what to do. Mistakes of the caller that cannot be
// answered sensibly (waiting for a handle of a destroyed runtime, say) end the process with a message instead.
#pragma once

#include <stdexcept>

#ifndef __cpp_exceptions
#error "Weir's C++ API throws exceptions, and hands on those of tasks: compile without -fno-exceptions"
#endif

namespace weir {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace weir
