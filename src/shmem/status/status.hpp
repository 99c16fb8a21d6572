// SPDX-License-Identifier: Apache-2.0

// Status: this PE's StatusPage, written; and those of its neighbours, asked whether they have left.
//
// Opened once the memory is symmetric, before anything else is reserved of it; closed with the world. Watcher says
// which threads call what.
#pragma once

#include <atomic>

#include "shmem/status/status_page.hpp"
#include "shmem/world/awaited.hpp"

namespace weir::shmem {

class Status final : public Watcher {
 public:
  // Of World: takes the first of its internal memory, and becomes its watcher. One for a process.
  static void open();
  // What this PE does from now on; nothing while it is not open.
  static void enter(Phase phase) noexcept;
  // After all PEs have met in finish(): ends the program when one has met in something else.
  static void check_all_have_left() noexcept;
  // While it lives this PE waits for all others in that routine of the heap. Ends the program when one has left.
  class Meeting {
   public:
    explicit Meeting(const char* routine) noexcept;
    ~Meeting();
    Meeting(const Meeting&) = delete;
    Meeting& operator=(const Meeting&) = delete;
  };

  int begin(const Awaited& what) noexcept override;
  void end(int number) noexcept override;
  int left_without(const Awaited& what) noexcept override;

 private:
  explicit Status(StatusPage& page) noexcept : page_(page) {}

  int far_left_without(const Awaited& what) const;

  StatusPage& page_;
};

}  // namespace weir::shmem
