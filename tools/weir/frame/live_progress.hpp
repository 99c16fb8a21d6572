// SPDX-License-Identifier: Apache-2.0

// The line of progress of a run that makes tasks: what is run, how many tasks are done and known, how fast, and how
// full the tiers are. Drawn several times a second while it lives, on a terminal only; nothing otherwise.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>

#include "base/mutex.hpp"
#include "explain/situation.hpp"
#include "global.hpp"

namespace weir::tool {

// As much of it as `columns` hold: "weir 2 of 5  12345/20000 tasks  1.2 M/s  memory 61 %". `rate`: tasks a second;
// below 0: not known.
std::string progress_text(const std::string& label, const std::optional<explain::Advance>& advance, double rate,
                          std::size_t columns);

// Remembers when it last looked.
class Rate {
 public:
  // Tasks a second since a moment ago; below 0 for the first look at a run.
  double of(const explain::Advance& advance, double now_s) noexcept;
  void forget() noexcept { known_ = false; }

 private:
  bool known_ = false;
  double since_s_ = 0, rate_ = -1;
  std::uint64_t done_ = 0;
};

// While it lives the runtimes of this process are shown, by a thread.
class LiveProgress {
 public:
  explicit LiveProgress(const Global& global);  // no line where there is no thread
  ~LiveProgress();
  LiveProgress(const LiveProgress&) = delete;
  LiveProgress& operator=(const LiveProgress&) = delete;
  // What is run now.
  void set(std::string label);

 private:
  void work();

  const Global& global_;
  base::Mutex mutex_;
  std::condition_variable wake_;
  std::string label_ WEIR_GUARDED_BY(mutex_);
  bool stop_ WEIR_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

// The same for runs that have a process each: no thread, the caller looks while it waits (apps::WatchIsolated).
class IsolatedProgress {
 public:
  explicit IsolatedProgress(const Global& global) : global_(global) {}
  void set(std::string label);
  void look(pid_t process);

 private:
  const Global& global_;
  std::string label_;
  Rate rate_;
};

// The same for a program that weir runs and that may write to the terminal itself: a line at its bottom, drawn by a
// thread while this lives and the program has a runtime. No line where there is no thread: the program runs already.
class ProgramProgress {
 public:
  ProgramProgress(pid_t process, std::string label, const Global& global);
  ~ProgramProgress();
  ProgramProgress(const ProgramProgress&) = delete;
  ProgramProgress& operator=(const ProgramProgress&) = delete;

 private:
  void work();

  const pid_t process_;
  const std::string label_;
  base::Mutex mutex_;
  std::condition_variable wake_;
  bool stop_ WEIR_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace weir::tool
