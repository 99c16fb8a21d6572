// SPDX-License-Identifier: Apache-2.0

// Process: a child process, from its start to its end; and what it writes, collected.
//
// Belongs to whoever has started it; one thread at a time. A Process that is destroyed goes on, and nobody waits for
// it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "platform/descriptor.hpp"

namespace weir::platform {

struct Command {
  static constexpr int kInherited = -1, kNothing = -2;  // /dev/null

  std::vector<std::string> words;  // the program, found as a shell does, and its arguments
  std::vector<std::pair<std::string, std::string>> variables = {};  // set in its environment, in addition to our own
  std::vector<std::string> removed = {};  // ours that it does not get; all that begin so where there is a * at the end
  int in = kInherited, out = kInherited, error = kInherited;  // files that become its standard ones
  // With one of these the calling process is forked: it must have one thread, or the function must not allocate.
  bool dies_with_us = false;           // it is killed when the thread that has started it ends
  std::function<bool()> prepare = {};  // in the new process, before the program; false: it ends with status 126
};

struct ProcessEnd {
  int signal = 0;  // that has ended it; 0: none
  int status = 0;  // as a shell says it: 128 and more after a signal; 255 when it is not known
  // False: no one kept it, as SIGCHLD is ignored, or another part of this process has waited for all children.
  bool known = true;
  bool well() const noexcept { return status == 0; }
};

class Process {
 public:
  // not_found when the program cannot be run, no_space when there can be no more processes; the message names it and
  // says why.
  static base::Result<Process> start(const Command& command);
  // A copy of this process, which has one thread, that does `body` and ends with its result. It is killed when the
  // thread that has started it ends.
  static base::Result<Process> fork(const std::function<int()>& body);

  pid_t pid() const noexcept { return pid_; }
  void kill() const noexcept;
  ProcessEnd wait();
  std::optional<ProcessEnd> ended();  // without waiting

 private:
  explicit Process(pid_t pid) noexcept : pid_(pid) {}
  pid_t pid_;
};

// This process becomes that program; comes back only when it cannot be run, with the failure.
base::Status become(const Command& command);

// The next child of this process that has ended, whoever has started it; nobody else can ask for its end then.
struct Reaped {
  pid_t pid = 0;
  ProcessEnd end;
};
std::optional<Reaped> reap_child();

// Whether the process is on its way out: what it held open may be closed before its parent is told.
bool is_exiting(pid_t pid);

// A number that tells the program in this process from others that the process runs later, by exec(), and from later
// processes of the same number; 0: it has ended, or is on its way out.
std::uint64_t life_of(pid_t pid);
// Whether that is still what life_of() gave, in any process.
bool lives(pid_t pid, std::uint64_t life);

// Waits for a child of this process.
void wait_for(pid_t child) noexcept;

// The children of the calling thread, those among them that were inherited (PR_SET_CHILD_SUBREAPER).
std::vector<pid_t> children_of_this_thread();

// What processes write into: reads what comes out of the other end.
struct Pipe {
  Descriptor read, write;
  static std::optional<Pipe> make();
};

struct Collected {
  std::string out, error;
  ProcessEnd end;
  bool in_time = true;  // false: it took too long, and was killed
};

// Reads both pipes to their ends, whose writing ends the caller has closed, and waits for the process; kills it after
// `seconds`. `look`: called several times a second meanwhile.
Collected collect(Process& process, double seconds, Pipe& out, Pipe* error = nullptr,
                  const std::function<void(pid_t)>& look = {});

// Runs it to its end, or to the end of its time. Standard output and error are collected, whatever the command says of
// them; it reads `input`.
base::Result<Collected> run(Command command, double seconds, const std::string& input = {},
                            const std::function<void(pid_t)>& look = {});

// The standard output of a program that ends well in time; otherwise how it failed. Its words, its input.
base::Result<std::string> output_of(std::vector<std::string> words, double seconds, const std::string& input = {});

// How it failed, `name` first; with the last line of what it has said on standard error. Success when it has not. An
// end that is not known is a failure.
base::Status failure_of(const std::string& name, const Collected& collected, double seconds);

}  // namespace weir::platform
