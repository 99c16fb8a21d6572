// SPDX-License-Identifier: Apache-2.0

// Telling: what was found, made of what is known, and told once. Under the gate.
#pragma once

#include "checker/state.hpp"

namespace weir::checker {

struct TaskInfo;

// What is known of who did it and of the memory; the rest is the caller's.
Finding make_finding(FindingKind kind, const TaskInfo* task, std::uintptr_t address, std::size_t bytes)
    WEIR_REQUIRES(state->gate);
void fill(WireTask& to, const TaskInfo* from) noexcept;
// Tells it unless that was told; ends the process when that is wanted.
void tell(Finding& finding, const FindingKey& key) noexcept WEIR_REQUIRES(state->gate);

}  // namespace weir::checker
