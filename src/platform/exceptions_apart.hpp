// SPDX-License-Identifier: Apache-2.0

// ExceptionsApart: while one lives, the calling thread handles no exception and unwinds for none, for all that is run
// meanwhile sees; afterwards as before.
//
// For what is run on top of a function that waits, and has nothing to do with it: std::current_exception() and
// std::uncaught_exceptions() are of the thread. All that is run has ended by then, and no exception leaves the scope
// of the object. By the C++ ABI for Itanium, 2.2.2, which all compilers here follow.
#pragma once

#include <cxxabi.h>

#include <utility>

namespace weir::platform {

class ExceptionsApart {
 public:
  ExceptionsApart() noexcept : here_(of_this_thread()), outer_(std::exchange(here_, {})) {}
  ~ExceptionsApart() { here_ = outer_; }
  ExceptionsApart(const ExceptionsApart&) = delete;
  ExceptionsApart& operator=(const ExceptionsApart&) = delete;

 private:
  struct Exceptions {  // __cxa_eh_globals
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };
  static Exceptions& of_this_thread() noexcept { return *reinterpret_cast<Exceptions*>(abi::__cxa_get_globals()); }

  Exceptions& here_;
  const Exceptions outer_;
};

}  // namespace weir::platform
