// SPDX-License-Identifier: Apache-2.0

// Outside: what of this process the library does not see, and what could end a wait or write what another PE waits for
// while all threads that it knows wait: other threads, signal handlers, child processes, the kernel or a device that
// writes into memory by itself, messages of the program's own, a debugger.
//
// When in doubt there is something. Made before the library starts anything of its own; one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weir::shmem {

class Outside {
 public:
  // What the program has now is not the library's: threads, handlers.
  Outside();
  // What has come since, is: MPI's threads, its handlers, and the files of the network's devices.
  void note_own();

  // Whether there is nothing but the library's own and these threads, by the kernel's numbers, which wait in it. Reads
  // files of the kernel's: a tenth of a millisecond.
  bool is_empty(std::span<const std::uint32_t> waiting) const;

 private:
  static constexpr int kSignals = 65;
  struct Thread {
    std::uint32_t number = 0;
    std::uint64_t started = 0;  // another thread of the same number has another time
  };
  using Handlers = std::array<const void*, kSignals>;  // null: the kernel's

  using Files = std::vector<std::string>;  // open ones, with their numbers

  static Handlers handlers_now() noexcept;
  // Those by which the kernel or a device may write into memory; none: it is not known.
  static std::optional<Files> writing_files_now();
  bool has_handlers() const;
  bool has_files() const;

  bool was_alone_;  // the thread that starts was the only one
  bool uses_mpi_;   // the program itself
  unsigned forks_;  // of the process, by then
  Handlers before_, own_{};
  std::vector<Thread> own_threads_;
  std::optional<Files> files_before_;
  Files own_files_;
};

}  // namespace weir::shmem
