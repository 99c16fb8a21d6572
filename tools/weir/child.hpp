// SPDX-License-Identifier: Apache-2.0

// A program that weir runs for its user: it has the terminal, the signals are for it, and weir waits for its end.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "platform/process.hpp"

namespace weir::tool {

struct ChildEnd {
  int status = 0;  // as a shell says it: 128 and more after a signal
  int signal = 0;  // that has ended it; 0: none
  int asked = 0;   // which of Ctrl-C and the signals that ask a process to end came meanwhile, the last; 0: none
  double seconds = 0;
};

// Where what a program prints goes: to where ours does, to standard error, or nowhere, its errors excepted.
enum class ChildOutput : unsigned char { ours, to_error, nothing };
// The same for a Command.
int file_for(ChildOutput output) noexcept;

// One at a time: signals are the process's.
class Child {
 public:
  using Variables = std::vector<std::pair<std::string, std::string>>;

  // Starts a program, found as a shell does, with these variables in the environment beside our own.
  // not_found when it cannot be run.
  static base::Result<Child> start(const std::vector<std::string>& words, const Variables& variables,
                                   ChildOutput output);
  static base::Result<Child> start(const platform::Command& command);
  pid_t pid() const noexcept { return process_.pid(); }
  // Ctrl-C and the like go to it alone meanwhile, and what kill(1) sends to weir is handed on. `at_end`: is called when
  // it has ended, while its number is no other process's. Once.
  ChildEnd wait(const std::function<void()>& at_end = {});

 private:
  Child(platform::Process process, double start_s) : process_(process), start_s_(start_s) {}
  platform::Process process_;
  double start_s_;
};

}  // namespace weir::tool
