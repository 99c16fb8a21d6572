// SPDX-License-Identifier: Apache-2.0

// weir run --islands N: a program whose workers are N more processes of it, which attach to its memory.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "child.hpp"
#include "platform/process.hpp"
#include "temporary_folder.hpp"
#include "verb.hpp"

namespace weir::tool {

class IslandsRun {
 public:
  using Variables = std::vector<std::pair<std::string, std::string>>;

  // Starts the workers, which wait for their master, with these variables. `segment`: the file that they attach to; "":
  // one of memory. `output`: of the workers. This process has one thread still.
  static base::Result<std::unique_ptr<IslandsRun>> start(const std::vector<std::string>& words,
                                                         const Variables& variables, int workers,
                                                         const std::string& segment, ChildOutput output);
  // Workers that run still are killed, and the memory has no name any more.
  ~IslandsRun();
  IslandsRun(const IslandsRun&) = delete;
  IslandsRun& operator=(const IslandsRun&) = delete;

  // What the master needs in addition.
  Variables variables() const;
  // From now on a worker that ends badly is named on standard error; one that does so before it has attached ends the
  // master, which would wait for it. The master, a child, is not waited for while this object lives.
  void watch(pid_t master);

 private:
  IslandsRun() = default;
  void watch_workers(pid_t master);
  bool all_have_attached();

  std::string segment_;
  std::optional<TemporaryFolder> folder_;  // of the segment; none: the user has said where that is
  platform::Descriptor names_;             // inotify: which names are removed in the folder
  bool attached_ = false;                  // all, once
  std::vector<platform::Process> workers_;
  std::vector<bool> ended_;  // and were waited for
  std::thread watcher_;
  std::atomic<bool> stops_{false};
};

}  // namespace weir::tool
