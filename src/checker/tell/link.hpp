// SPDX-License-Identifier: Apache-2.0

// Link: the connection of a checked program to the `weir check` that watches it.
//
// Handlers of faults use it: no malloc(), and calls wait for the answer. Guarded by the checker's gate. A process has
// one; a child made by fork() has none until it makes a runtime.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"
#include "checker/tell/wire.hpp"

namespace weir::checker {

class Link {
 public:
  // `name` of its socket, in the abstract namespace. Fails when nobody listens there.
  base::Status open(const std::string& name, bool holds_system_calls);
  bool wants_all_exact() const noexcept { return all_exact_; }
  bool is_open() const noexcept { return socket_ >= 0; }
  // After fork(), in the child; and when it cannot be used.
  void forget() noexcept;

  platform::Instruction decode(std::uintptr_t instruction) noexcept;
  Answer tell(const Finding& finding) noexcept;
  void tell(const Repeated& repeated) noexcept;
  void tell(const Bye& bye) noexcept;

 private:
  // Ends the process when the other side is gone: what goes on unseen would look right.
  void send(const void* message, std::size_t bytes) noexcept;
  void receive(void* answer, std::size_t bytes) noexcept;

  int socket_ = -1;
  bool all_exact_ = false;
  std::byte buffer_[sizeof(Finding)] = {};
};

}  // namespace weir::checker
