// SPDX-License-Identifier: Apache-2.0

// Control: what a rank says to the launcher that has started it, over a socket that it inherits (Job::control).
//
// A program that says nothing is fine: its exit status is what counts then. One that joins is lost when it ends before
// it has left, whatever its status. Says go to a socket that keeps them after the rank's end, and never wait.
#pragma once

#include <cstdint>
#include <optional>

#include "base/ids.hpp"

namespace weir::launch {

// The rank's side. Does not own the socket. Any thread; without a socket (-1) nothing is done. Async-signal-safe.
class Control {
 public:
  explicit Control(int socket) noexcept : socket_(socket) {}

  bool is_there() const noexcept { return socket_ >= 0; }
  // It looks for all other ranks of the job: the end of one that has not come ends the job.
  void seek() const noexcept;
  // From now on others need this process: its end before leave() ends the job.
  void join() const noexcept;
  // What follows is its own affair: its exit status still counts.
  void leave() const noexcept;
  // The launcher ends all other processes, and the job's status is this one. The caller ends itself.
  void abort(int status) const noexcept;
  // This process ends because that one has: the other is the one to name.
  void lost(Rank rank) const noexcept;

 private:
  int socket_;
};

// The launcher's side.
struct Said {
  enum class What : std::uint32_t { joins, leaves, aborts, lost, seeks, closed } what = What::joins;
  std::int32_t value = 0;  // the status, the rank
};
// The next message that is there; none: none is. `closed`: nobody is left who could say anything.
std::optional<Said> read_said(int socket) noexcept;

// Whether that is a descriptor of such a socket.
bool is_control(int socket) noexcept;

}  // namespace weir::launch
