// SPDX-License-Identifier: Apache-2.0

// Watch: a thread that sees when a program can make no progress any more, and prints the report.
//
// Over ranks all have to stand still; that of rank 0 asks, and ends the program. Nothing is ready, nothing runs, the
// first thread waits within the runtime, and no thread of the program's own uses it: then no event will ever be
// satisfied. The report is printed and the program ends with exit code 1.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <thread>

#include "base/mutex.hpp"

namespace weir::ocr {

class Program;

class Watch {
 public:
  // Both on the Watch's thread. `is_so_elsewhere`: whether the other ranks stand still, too. `report` prints what
  // waits.
  Watch(Program& program, std::function<bool()> is_so_elsewhere, std::function<void()> report);
  ~Watch();

 private:
  void work();
  void look();
  bool nothing_happened();

  Program& program_;
  const std::function<bool()> is_so_elsewhere_;
  const std::function<void()> report_;
  base::Mutex mutex_;
  std::condition_variable wake_;
  bool stop_ WEIR_GUARDED_BY(mutex_) = false;
  std::uint64_t ended_ = 0;  // EDTs, when it last looked; its thread only
  int idle_looks_ = 0;       // in a row; its thread only
  std::thread thread_;       // last: it uses the others
};

}  // namespace weir::ocr
