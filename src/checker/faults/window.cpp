// SPDX-License-Identifier: Apache-2.0

#include "checker/faults/window.hpp"

namespace weir::checker {

namespace {

constexpr int kYields = 200;
constexpr std::uint64_t kNapNs = 50'000;

}  // namespace

void wait_a_little(int round) noexcept {
  if (round < kYields)
    platform::yield();
  else
    platform::nap(kNapNs);
}

namespace {

// False: it blocks the signal, or gets no processor.
bool stop(const ThreadState& runner) noexcept {
  for (int round = 0; runner.at_large; ++round) {
    if (round == 0) platform::send_stop_signal(runner.number);
    if (round == kMostRounds) return false;
    wait_a_little(round);
  }
  return true;
}

void stop_others(const ThreadState& thread) noexcept WEIR_REQUIRES(state->gate) {
  for (const ThreadState* other = state->threads; other != nullptr; other = other->next)
    if (other != &thread && !stop(*other)) ++state->unseen;
}

}  // namespace

void open_window(ThreadState& thread) noexcept {
  if (thread.has_window) return;
  thread.has_window = true;
  ++state->windows;
  if (state->running != nullptr) stop_others(thread);
}

void close_window(ThreadState& thread) noexcept {
  if (!thread.has_window) return;
  thread.has_window = false;
  --state->windows;
}

}  // namespace weir::checker
