// SPDX-License-Identifier: Apache-2.0

// Waiting: one wait for what another PE or thread does: spins, then yields the processor, then sleeps for short times.
//
//   for (Waiting waiting; *word == 0;) waiting.pause({.kind = Awaited::Kind::word, .bytes = 8, .word = word});
//
// On the way it makes the transport's progress where remote PEs need it, and ends the program with a name when a PE is
// lost, or has left without what it is waited for: no wait hangs. A wait that gets long is told to the Watcher. Sleeps
// soon where PEs share processors, else late. On the stack of the thread that waits.
#pragma once

#include <cstdint>

#include "platform/clock.hpp"
#include "shmem/world/awaited.hpp"

namespace weir::shmem {

class Waiting {
 public:
  // A few pauses of the processor at first; the caller looks again after each call.
  void pause(const Awaited& what = {}) noexcept {
    if (round_ < spins_) [[likely]] {
      ++round_;
      platform::spin_pause();
    } else {
      pause_slow(what);
    }
  }

  Waiting() noexcept;
  ~Waiting() {
    if (watched_ >= 0) [[unlikely]]
      end_watch();
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  void pause_slow(const Awaited& what) noexcept;
  void watch(const Awaited& what, std::uint64_t now) noexcept;
  void end_watch() noexcept;

  std::uint32_t round_ = 0;
  std::uint32_t spins_;              // rounds that only spin
  std::uint64_t slow_since_ns_ = 0;  // 0: has not yielded yet
  std::uint64_t next_look_ns_ = 0;   // when the Watcher is asked again
  int watched_ = -1;                 // the Watcher's number for this wait
  bool is_in_vain_ = false;          // so it was when the Watcher was asked last
};

// How long a wait that has lasted so long goes on before its Watcher is asked again. Pure.
std::uint64_t ns_to_next_look(std::uint64_t waited_ns, bool is_standing) noexcept;

// One turn of the processor for others, of a thread that does not wait in the library. Short, as far as they let it:
// yields, or sleeps where another program takes what is yielded. While the library is started.
void give_turn() noexcept;

}  // namespace weir::shmem
