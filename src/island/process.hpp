// SPDX-License-Identifier: Apache-2.0

// Process: a worker process as its master sees it: forked or attached, looked after, ended. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "island/presence.hpp"

namespace weir::island {

class Process {
 public:
  // A child that runs `body` and then exits with status 0. It is killed when the calling thread ends without having
  // ended it. `os_cpu`: where it is to run; none: anywhere. no_space when the system makes no more processes.
  static base::Result<Process> fork(int index, std::optional<int> os_cpu, const std::function<void()>& body);

  // One that was started by someone else and has its place of `presence`, which outlives this. `numbering`: in which
  // its number is that, as numbering_of_processes() has it there.
  static Process attached(pid_t pid, std::uint64_t numbering, const Presence& presence, std::uint32_t place) noexcept;

  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;
  // Kills it when it runs still; not one that attached and whose number is another process's here.
  ~Process();

  pid_t pid() const noexcept { return pid_; }
  // How it ended, for people, "ended by signal 11 (Segmentation fault)"; "" while it runs. Where SIGCHLD is ignored, or
  // the program has waited for all of its children: that it has ended.
  std::string how_it_ended();
  // Waits until it has ended, having been told to.
  void join() noexcept;

 private:
  explicit Process(pid_t pid) noexcept : pid_(pid) {}
  bool is_attached() const noexcept { return presence_ != nullptr; }
  // Of a child: with WNOHANG whether it has ended, with 0 when it has.
  void take_end(int flags) noexcept;

  pid_t pid_;                           // 0 after a move
  bool ended_ = false;                  // and was waited for, here or elsewhere
  bool is_known_ = false;               // then: it was here
  int status_ = 0;                      // then
  const Presence* presence_ = nullptr;  // of one that has attached
  std::uint32_t place_ = 0;             // there
  bool is_numbered_here_ = true;        // then: pid_ is its number in this process, too
};

// Tells the namespace of this process's numbers from others; 0: not known.
std::uint64_t numbering_of_processes() noexcept;

}  // namespace weir::island
