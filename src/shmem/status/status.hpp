// SPDX-License-Identifier: Apache-2.0

// Status: this PE's StatusPage, written; and those of others, asked whether they have left and whether all stand still.
//
// Opened once the memory is symmetric, before anything else is reserved of it; closed with the world. Watcher says
// which threads call what.
#pragma once

#include <memory>
#include <string>

#include "shmem/status/deadlock.hpp"
#include "shmem/status/outside.hpp"
#include "shmem/status/status_page.hpp"
#include "shmem/world/awaited.hpp"

namespace weir::shmem {

class Status final : public Watcher {
 public:
  // Of World: takes the first of its internal memory, and becomes its watcher. One for a process.
  static void open();
  // All that the library starts is there: from now on a deadlock of all PEs is looked for. `outside` was made before.
  static void watch_for_deadlock(Outside outside);
  // What this PE does from now on; nothing while it is not open.
  static void enter(Phase phase) noexcept;

  int begin(const Awaited& what) noexcept override;
  void end(int number) noexcept override;
  int left_without(const Awaited& what) noexcept override;
  bool go_on(int number, const Awaited& what, std::uint64_t waited_ns) noexcept override;

 private:
  explicit Status(StatusPage& page) noexcept : page_(page) {}

  void show_wait(const Awaited& what, const std::string& routine) noexcept;

  StatusPage& page_;
  std::unique_ptr<Deadlock> deadlock_;  // null until all is started
};

}  // namespace weir::shmem
