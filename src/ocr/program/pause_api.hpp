// SPDX-License-Identifier: Apache-2.0

// Pausing, for who asks for it: one at a time, a running EDT or a thread outside of EDTs.
#pragma once

namespace weir::ocr {

struct Local;

// No EDT starts any more, and those that ran have ended or wait. False: another one pauses, and the caller does not
// want to wait for it; or the caller has paused already.
bool pause(Local& local, bool wait);
bool is_paused_by(const Local& local) noexcept;
void resume(Local& local) noexcept;

}  // namespace weir::ocr
