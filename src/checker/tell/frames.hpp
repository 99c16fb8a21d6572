// SPDX-License-Identifier: Apache-2.0

// Where code is: the frames that lead to it, and the function it is in.
#pragma once

#include "checker/tell/wire.hpp"

namespace weir::checker {

struct Run;

// Frames of the calling thread from `instruction` on, when a handler is among them; else from the caller on. Of the
// run's task only; null: all.
void take_frames(Frames& frames, std::uintptr_t instruction, const Run* run) noexcept;
// Of the function that has the address; 0: it is not known.
std::uintptr_t start_of_function(const void* address) noexcept;

}  // namespace weir::checker
