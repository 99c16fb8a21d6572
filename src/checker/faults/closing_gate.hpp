// SPDX-License-Identifier: Apache-2.0

// The gate, for what opens and closes all pages, that of its own stack frames among them: meanwhile the thread meets
// closed pages as handlers do. They are closed again after the gate is given back.
//
// For hooks and for threads that come back from the program's code, not for handlers, which have the gate.
#pragma once

#include "checker/state.hpp"

namespace weir::checker {

class WEIR_ANNOTATION(scoped_lockable) ClosingGate {
 public:
  explicit ClosingGate(ThreadState& thread) noexcept WEIR_ACQUIRE(state->gate);
  ~ClosingGate() WEIR_RELEASE();
  ClosingGate(const ClosingGate&) = delete;
  ClosingGate& operator=(const ClosingGate&) = delete;

 private:
  ThreadState& thread_;
};

}  // namespace weir::checker
