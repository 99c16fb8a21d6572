// SPDX-License-Identifier: Apache-2.0

#include "transport/mpi/progress_thread.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <utility>

#include "platform/start_thread.hpp"

namespace weir::transport::mpi {

namespace {
thread_local constinit bool is_ours = false;
}

bool is_progress_thread() noexcept { return is_ours; }

ProgressThread::ProgressThread(std::function<bool()> look, std::function<std::uint64_t()> looks)
    : look_(std::move(look)), looks_(std::move(looks)) {
  thread_ = platform::start_thread("weir mpi", [this] { run(); });
}

ProgressThread::~ProgressThread() {
  is_ending_.store(true);
  parker_.unpark();
  thread_.join();
}

void ProgressThread::run() {
  is_ours = true;
  prctl(PR_SET_TIMERSLACK, 1000UL);  // ns; the kernel's default adds as much as a short nap to each
  std::uint64_t nap = kLongestNap;
  std::uint64_t before = looks_();
  while (!is_ending_.load()) {
    parker_.park_for(nap);
    if (looks_() != before) {  // another thread looks
      nap = kLongestNap;
    } else {
      nap = look_() ? kShortestNap : std::min(nap * 2, kLongestNap);
    }
    before = looks_();
  }
}

}  // namespace weir::transport::mpi
