// SPDX-License-Identifier: Apache-2.0

#include "ocr/system/waiting_threads.hpp"

#include <cstdio>
#include <utility>

#include "ocr/graph/local.hpp"
#include "ocr/pause/everywhere.hpp"
#include "ocr/program/pause.hpp"

namespace weir::ocr {

namespace {

constexpr u8 kNoThread = OCR_ENOMEM;              // exit code
constexpr std::uintptr_t kRuns = 1, kPauses = 2;  // in a word with a Run*
static_assert(alignof(Run) > (kRuns | kPauses));

}  // namespace

// A word of all: the EDT that runs, whether one does, and whether it has paused the program.
std::uintptr_t WaitingThreads::begin(sched::Worker&) noexcept {
  Local* const self = local();
  if (self == nullptr) return 0;
  std::uintptr_t begun = reinterpret_cast<std::uintptr_t>(std::exchange(self->current, nullptr));
  if (self->activity.running.exchange(false, std::memory_order_acq_rel)) begun |= kRuns;  // PAUSE-1
  if (is_pausing() && suspend_everywhere(*self)) begun |= kPauses;
  return begun;
}

void WaitingThreads::end(sched::Worker&, std::uintptr_t begun) noexcept {
  Local* const self = local();
  if (self == nullptr) return;
  self->current = reinterpret_cast<Run*>(begun & ~(kRuns | kPauses));
  if ((begun & kPauses) != 0) continue_everywhere(*self);
  enter_running(*self, (begun & kRuns) != 0);
}

void WaitingThreads::refused(const base::Status& why) noexcept {
  if (program_.shutting_down()) return;
  std::fflush(stdout);
  std::fprintf(stderr, "weir: ocr: the program ends: %s\n", why.message.c_str());
  program_.shut_down(kNoThread);
}

}  // namespace weir::ocr
