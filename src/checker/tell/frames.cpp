// SPDX-License-Identifier: Apache-2.0

#include "checker/tell/frames.hpp"

#include <unwind.h>

#include "checker/judge/run.hpp"

namespace weir::checker {

namespace {

struct Walk {
  Frames& frames;
  std::uintptr_t from;   // 0: the first frame
  std::uintptr_t until;  // the function whose frame is the first that is left out
  int steps = 0;
  bool begun = false;
};

_Unwind_Reason_Code visit_frame(_Unwind_Context* context, void* argument) {
  constexpr int kMostSteps = 64;
  Walk& walk = *static_cast<Walk*>(argument);
  const std::uintptr_t at = _Unwind_GetIP(context);
  if (at == 0) return _URC_END_OF_STACK;  // what a thread began with has no caller
  walk.begun = walk.begun || walk.from == 0 || at == walk.from;
  if (walk.begun) {
    if (walk.until != 0 && _Unwind_GetRegionStart(context) == walk.until) return _URC_END_OF_STACK;
    walk.frames.address[walk.frames.count++] = at;
  }
  const bool full = walk.frames.count == kMostFrames || ++walk.steps == kMostSteps;
  return full ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

// Unwinding reads memory that may be closed; the nested faults are seen to.
void take_frames(Frames& frames, std::uintptr_t instruction, const Run* run) noexcept {
  frames = {};
  frames.first_is_exact = instruction != 0 ? 1 : 0;
  Walk walk{frames, instruction, run != nullptr ? run->runner : 0};
  _Unwind_Backtrace(&visit_frame, &walk);
  if (frames.count == 0 && instruction != 0) frames.address[frames.count++] = instruction;
}

std::uintptr_t start_of_function(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(_Unwind_FindEnclosingFunction(const_cast<void*>(address)));
}

}  // namespace weir::checker
