// SPDX-License-Identifier: Apache-2.0

// weir run --islands N: a program whose workers are N more processes of it, which attach to its memory.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "child.hpp"
#include "platform/process.hpp"
#include "verb.hpp"

namespace weir::tool {

class IslandsRun {
 public:
  using Variables = std::vector<std::pair<std::string, std::string>>;

  // Starts the workers, which wait for their master, with these variables. `segment`: the file that they attach to; "":
  // memory that this process holds. `output`: of the workers. Their input is nothing, or ours where that is a file,
  // which each reads for itself. This process has one thread still. no_space: no more
  // processes, or no thread that watches them.
  static base::Result<std::unique_ptr<IslandsRun>> start(const std::vector<std::string>& words,
                                                         const Variables& variables, int workers,
                                                         const std::string& segment, ChildOutput output);
  // Workers that run still are killed.
  ~IslandsRun();
  IslandsRun(const IslandsRun&) = delete;
  IslandsRun& operator=(const IslandsRun&) = delete;

  // What the master needs in addition.
  Variables variables() const;
  // From now on a worker that ends badly is named on standard error; one that ends before it has attached is, too, and
  // ends the master, which would wait for it. The master, a child, is not waited for while this object lives.
  void watch(pid_t master) noexcept { master_ = master; }
  // False: there never was one in the memory that this process holds.
  bool has_had_master() const;

 private:
  IslandsRun() = default;
  base::Status hold_memory();
  void watch_workers();
  bool all_have_attached();
  // There is a master, to whom not all have come.
  bool waits_for_workers();

  std::string segment_;
  platform::Descriptor memory_;  // the segment; none: the user has said where that is
  bool attached_ = false;        // all, once
  std::vector<platform::Process> workers_;
  std::vector<bool> ended_;                   // and were waited for
  const platform::Process* early_ = nullptr;  // that has ended well before all had attached
  std::thread watcher_;
  std::atomic<pid_t> master_{0};  // 0: it has not been started
  std::atomic<bool> stops_{false};
};

}  // namespace weir::tool
