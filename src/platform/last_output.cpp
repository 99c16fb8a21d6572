// SPDX-License-Identifier: Apache-2.0

#include "platform/last_output.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <ctime>

// Of libgfortran: CALL FLUSH(unit); without a unit, all of them.
extern "C" [[gnu::weak]] void _gfortran_flush_i4(const std::int32_t* unit);  // NOLINT(bugprone-reserved-identifier)

namespace weir::platform {

namespace {

std::atomic<bool> is_done{false};

// Of the C streams standard input comes last, for which another thread may wait.
void* flush(void*) {
  std::fflush(stdout);
  if (&_gfortran_flush_i4 != nullptr) _gfortran_flush_i4(nullptr);
  std::fflush(nullptr);
  is_done.store(true);
  return nullptr;
}

}  // namespace

void flush_streams(std::chrono::milliseconds patience) noexcept {
  is_done.store(false);
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, flush, nullptr) != 0) {
    std::fflush(stdout);
    return;
  }
  pthread_detach(thread);
  for (auto left = patience; left.count() > 0 && !is_done.load(); --left) {
    const timespec millisecond{0, 1'000'000};
    nanosleep(&millisecond, nullptr);
  }
}

}  // namespace weir::platform
