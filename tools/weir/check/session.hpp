// SPDX-License-Identifier: Apache-2.0

// Session: a program that runs under `weir check`, and the conversation with it and with the processes that it makes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "checker/tell/wire.hpp"

namespace weir::tool::check {

struct Outcome {
  int status = 0;               // as a shell says it: 128 + the number of the signal
  int signal = 0;               // that has ended the program; 0: none
  bool interrupted = false;     // by Ctrl-C
  std::uint64_t processes = 0;  // that made a runtime
  std::uint64_t tasks = 0;
  std::uint64_t findings = 0;
  std::uint64_t advice = 0;       // of those, what is no mistake
  std::uint64_t repetitions = 0;  // of what was told before
  std::uint64_t unseen = 0;       // moments in which what a task touched was not
  std::uint64_t in_part = 0;      // tasks of whose accesses some were not judged
  std::uint64_t parts = 0;        // of fork_join() and of loops
  std::uint64_t parts_free = 0;   // of these, outside of tasks, those that touched nothing that is watched
  bool all_calls_seen = true;     // false: the kernel cannot hold system calls
  bool stopped = false;
};

enum class Heard { news, again, stop };  // stop: news, after which the program is to end

// Told of each finding, with the process, which waits meanwhile.
using OnFinding = std::function<Heard(const weir::checker::Finding&, int pid)>;

// Not a mistake: the program is right, but could say less.
constexpr bool is_advice(weir::checker::FindingKind kind) noexcept {
  return kind == weir::checker::FindingKind::untouched;
}

// Runs the program to its end. Ctrl-C is the program's: it ends, and what was found is known; a second one kills it.
// Fails when it cannot be started.
struct HowToCheck {
  bool output_to_stderr = false;  // the program's
  bool exact = false;             // every access of every task is judged
};
base::Result<Outcome> run_checked(const std::vector<std::string>& program, const HowToCheck& how,
                                  const OnFinding& on_finding);

}  // namespace weir::tool::check
