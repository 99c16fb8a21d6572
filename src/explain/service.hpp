// SPDX-License-Identifier: Apache-2.0

// The one thread of a process that explains: asked by `weir explain PID`, by SIGUSR1, or because nothing runs any more.
//
// It sleeps on a socket of the process (socket.hpp) and looks now and then whether something has been run. All
// that can be explained are Sources: a runtime each, or OCR in a runtime. docs/explaining.md. Any thread.
#pragma once

#include <string>

#include "explain/situation.hpp"

namespace weir::explain {

// What can be explained. Called by the service's thread only, one at a time.
class Source {
 public:
  // Called several times a second. True when nothing runs and nothing will, as far as can be seen without looking
  // closely; may be wrong by a moment. `progress` changes whenever something was done.
  virtual bool is_still(std::uint64_t& progress) noexcept = 0;
  // Looks closely. May hold up the ending of tasks meanwhile, for milliseconds.
  virtual Situation look() = 0;
  virtual Advance advance() = 0;

 protected:
  ~Source() = default;
};

struct ServiceOptions {
  int after_s = 10;    // by itself, when nothing has run for so long though tasks are left; 0: never
  bool signal = true;  // on SIGUSR1, unless the program has a use for it
};

// From now on until it is destroyed the source is explained. The service starts with the first one of the process and
// ends with the last one; the options are the first one's.
class Registration {
 public:
  Registration(Source& source, const ServiceOptions& options);
  // Waits while the source is being looked at.
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  Source& source_;
};

// SIGUSR1 is taken also where that handler has it, for it stands for the default action in this process, and given back
// to it. Before the first source.
void take_signal_from(void (*handler)(int)) noexcept;

// How far all sources of this process are, added up.
Advance advance_of_process();

}  // namespace weir::explain
