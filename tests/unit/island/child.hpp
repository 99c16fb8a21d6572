// SPDX-License-Identifier: Apache-2.0

// A forked process of a test.
#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace weir::island {

class Child {
 public:
  // The child ends with what `run` returns, and with its parent.
  template <class F>
  explicit Child(const F& run) : pid_(fork()) {
    if (pid_ < 0) std::abort();
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(run());
  }
  ~Child() {
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // What it ended with; 128 and more: by a signal.
  int wait() { return look(0); }
  bool has_ended() { return look(WNOHANG) >= 0; }

 private:
  // Negative: it has not ended.
  int look(int options) {
    int status = 0;
    if (pid_ == 0 || waitpid(pid_, &status, options) != pid_) return ended_with_;
    pid_ = 0;
    ended_with_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ended_with_;
  }

  pid_t pid_;  // 0 once it has been waited for
  int ended_with_ = -1;
};

}  // namespace weir::island
