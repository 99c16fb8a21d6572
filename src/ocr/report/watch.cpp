// SPDX-License-Identifier: Apache-2.0

#include "ocr/report/watch.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/mutex.hpp"
#include "ocr/program/pause.hpp"
#include "ocr/program/program.hpp"
#include "platform/start_thread.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

namespace {

constexpr auto kInterval = std::chrono::milliseconds(20);
constexpr int kIdleLooks = 3;        // before it believes it
constexpr int kRestlessLooks = 150;  // the same while workers look for work, which they may do for as long as they like
constexpr u8 kStuck = 1;             // exit code

}  // namespace

Watch::Watch(Program& program, std::function<bool()> is_so_elsewhere, std::function<void()> report)
    : program_(program), is_so_elsewhere_(std::move(is_so_elsewhere)), report_(std::move(report)) {
  thread_ = platform::start_thread("weir ocr watch", [this] { work(); });
}

Watch::~Watch() {
  {
    const base::Lock lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Watch::work() {
  base::Lock lock(mutex_);
  while (!stop_) {
    lock.wait_for(wake_, kInterval);
    if (!stop_) look();
  }
}

// Nothing runs, nothing has ended since this was last asked, and no other thread could bring anything about.
// KEEP-1: what waits for a checkpoint is asked for first; when it waits no more, it has been counted as ready.
bool Watch::nothing_happened() {
  const bool keeps_blocks = program_.keeps_blocks();
  const Program::Progress now = program_.progress();
  const bool nothing_ended = now.ended == std::exchange(ended_, now.ended);
  return now.idle && nothing_ended && program_.is_alone() && !is_pausing() && !keeps_blocks;
}

// Asking the other ranks takes time, in which a thread of the program's own may have begun to use OCR.
void Watch::look() {
  idle_looks_ = nothing_happened() ? idle_looks_ + 1 : 0;
  // A worker that was taken off its core may still have to say what the EDT that it ran last brings about.
  const bool stands_still = idle_looks_ >= (program_.scheduler().is_still() ? kIdleLooks : kRestlessLooks);
  program_.set_stands_still(stands_still);
  if (!stands_still || idle_looks_ % kIdleLooks != 0 || !is_so_elsewhere_() || !nothing_happened()) return;
  std::fflush(stdout);
  report_();
  program_.shut_down(kStuck);
}

}  // namespace weir::ocr
