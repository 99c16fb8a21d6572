// SPDX-License-Identifier: Apache-2.0

// Pausing, for those that ask for it: one at a time, a running EDT or a thread outside of EDTs.
#pragma once

namespace weir::ocr {

struct ProgramLocal;

// No EDT starts any more, and those that ran have ended or wait. False: another one pauses, and the caller does not
// want to wait for it; or the caller has paused already.
bool pause(ProgramLocal& local, bool wait);
bool is_paused_by(const ProgramLocal& local) noexcept;
void resume(ProgramLocal& local) noexcept;

}  // namespace weir::ocr
