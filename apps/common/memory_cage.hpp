// SPDX-License-Identifier: Apache-2.0

// A memory cgroup with a hard limit: what a process in it uses, page cache included, is at most that.
//
// Versions 1 and 2, beside the process's own cgroup. Needs the right to make cgroups: root, or a delegated folder.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace weir::apps {

class MemoryCage {
 public:
  // unsupported when the kernel or the container forbids it; the message says what was tried. `root` is put before
  // /proc and /sys, for tests.
  static base::Result<MemoryCage> create(std::uint64_t bytes, const std::string& root = "");

  MemoryCage(MemoryCage&& other) noexcept;
  MemoryCage& operator=(MemoryCage&&) = delete;
  ~MemoryCage();  // removes it; the processes in it have ended

  // Moves the calling process in.
  base::Status enter() const;

 private:
  explicit MemoryCage(std::string folder) : folder_(std::move(folder)) {}

  std::string folder_;  // empty only after a move
};

}  // namespace weir::apps
