// SPDX-License-Identifier: Apache-2.0

// ProgressThread: looks at MPI while no other thread of the program does, so that others' operations on this rank's
// memory end while it computes.
//
// MPI has nothing to sleep on: the thread sleeps for a time, the longer the less there was, and not at all less while
// other threads look. It ends with the object.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

#include "platform/futex.hpp"

namespace weir::transport::mpi {

// This thread is one of those below: what MPI does there, such as exit(), is not the program's doing.
bool is_progress_thread() noexcept;

class ProgressThread {
 public:
  // `look` is true when it has found something; `looks` counts those of all threads. Throws std::system_error.
  ProgressThread(std::function<bool()> look, std::function<std::uint64_t()> looks);
  ProgressThread(const ProgressThread&) = delete;
  ~ProgressThread();

 private:
  static constexpr std::uint64_t kShortestNap = 20'000, kLongestNap = 1'000'000;  // ns; docs/protocols/transport-mpi.md

  void run();

  std::function<bool()> look_;
  std::function<std::uint64_t()> looks_;
  std::atomic<bool> is_ending_{false};
  platform::Parker parker_;
  std::thread thread_;
};

}  // namespace weir::transport::mpi
