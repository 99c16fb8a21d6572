// SPDX-License-Identifier: Apache-2.0

#include "checker/faults/closing_gate.hpp"

#include <atomic>

namespace weir::checker {

ClosingGate::ClosingGate(ThreadState& thread) noexcept : thread_(thread) {
  thread_.in_handler = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  thread_.held = 0;  // the handler of a fault on the way here may have held them again
  state->gate.lock();
}
ClosingGate::~ClosingGate() {
  std::uintptr_t met[PageList::kMost];
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < thread_.nested.count && state->watch.is_closed(); ++i)
    if (state->watch.find(thread_.nested.pages[i]) != nullptr) met[count++] = thread_.nested.pages[i];
  state->gate.unlock();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  thread_.nested.count = thread_.nested_times = 0;
  thread_.in_handler = false;
  for (std::uint32_t i = 0; i < count; ++i) platform::protect(met[i], kPageBytes, PROT_NONE);
}

}  // namespace weir::checker
