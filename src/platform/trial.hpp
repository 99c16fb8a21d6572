// SPDX-License-Identifier: Apache-2.0

// Tries in a child process what may crash this one: code of others on input of users.
//
// The child is a fork: it has the calling thread alone and all memory as it is now. glibc keeps malloc() and the loader
// usable there; any other lock that another thread holds at that moment stays locked in the child. Whoever tries
// something that takes such locks holds them off by pthread_atfork(), or gets `late`.
//
// Any thread. Costs a fork, and a SIGCHLD that a handler of the program may see.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace weir::platform {

struct Trial {
  enum class End : std::uint8_t {
    returned,  // `said` is what the function has returned
    crashed,   // by the signal `number`; 0 when it is not known
    late,      // it had not returned in time
    no_child,  // fork() has failed with the errno `number`
  };
  End end = End::returned;
  std::string said;
  int number = 0;
};

// What the child writes to standard output and standard error is lost. An exception of `attempt` is a crash.
Trial try_in_child(const std::function<std::string()>& attempt, std::uint64_t limit_ns);

}  // namespace weir::platform
