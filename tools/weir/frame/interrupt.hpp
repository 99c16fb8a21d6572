// SPDX-License-Identifier: Apache-2.0

// No signal that ends the program leaves a partial file, but for the part of a trace that was asked for, or a terminal
// that is not clean: Ctrl-C, those of kill(1), a pipe that nobody reads any more (SIGPIPE), limits and timers (SIGXCPU,
// SIGALRM), mistakes (SIGABRT, SIGSEGV). SIGKILL does. A file that has become too large (SIGXFSZ) is told as a full
// disk is.
#pragma once

namespace weir::tool {

// From now on these signals remove temporary files and folders (platform::TemporaryName), take the line of progress
// away, and end the program as the signal does, so that a shell sees 130 for Ctrl-C and stops its loop. The ends of
// child processes are kept for those who wait for them, also where the parent ignores SIGCHLD; programs that weir runs
// begin so, too. What the parent ignores, and what a sanitizer has taken, stays so. A runtime of this process takes
// SIGUSR1 as long as it lives (docs/explaining.md). Called once, by main().
void handle_interrupts();

// Ends this process as that signal ends one, for a program that weir has run was ended so: a shell then stops its loop.
// Temporary files are removed, too.
[[noreturn]] void end_by(int signal_number);

}  // namespace weir::tool
