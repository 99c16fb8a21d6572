// SPDX-License-Identifier: Apache-2.0

// Threads of the library itself: they have a name, and get no signals. Those of the program are for its own threads,
// and SIGXFSZ comes as an errno. Any thread.
#pragma once

#include <functional>
#include <thread>

#include "base/result.hpp"

namespace weir::platform {

// `name`: at most 15 characters, as `ps -L` shows it. Throws std::system_error when the system has no thread left: its
// what() names the thread and what to do.
std::thread start_thread(const char* name, std::function<void()> body);
// The same; no_space, with these words, when there is none.
base::Result<std::thread> try_start_thread(const char* name, std::function<void()> body);

}  // namespace weir::platform
