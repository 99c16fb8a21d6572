// SPDX-License-Identifier: Apache-2.0

// The socket by which a process is asked to explain itself: an abstract Unix socket, named by namespace and number of
// the process; further copies of this library in it, one in each of several libraries, have further names. Abstract
// sockets have no owner, so both sides look at who the other one is.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace weir::explain {

// Listens for this process; -1 when it cannot.
int listen_for_questions() noexcept;

// A question that has come in: of the same user, or of root, a line without its end. Others get no answer.
// Closed by answer().
struct Question {
  int file = -1;
  std::string text;
};
std::optional<Question> accept_question(int listening);
void answer(const Question& question, const std::string& text) noexcept;

// Asks another process: an answer of each copy of the library in it that has a runtime. Fails with a message that says
// what to do: no such process, of another user, no runtime in it or none that this network namespace sees, stopped, no
// answer within `seconds`.
base::Result<std::vector<std::string>> ask(pid_t process, const std::string& question, double seconds);

}  // namespace weir::explain
