// SPDX-License-Identifier: Apache-2.0

// weir run --memory: where the memory of any program is, by the kernel's policies and a library that it loads, and the
// proof at its end.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "verb.hpp"

namespace weir::tool {

struct MemoryOptions {
  std::string mode;  // "": not asked for
  std::string from;  // "": everything
  bool memkind = false;
};

// Adds them to a verb that takes a program.
void add_memory_options(CLI::App& verb, MemoryOptions& options);
// What does not go together; `hosts`: as ranks on several hosts.
base::Status check_memory_options(const MemoryOptions& options, bool hosts);

// One run of a program whose memory is placed.
class PlacedRun {
 public:
  // Fails before the program starts: the machine lacks the memory, its kernel refuses, or the program is one that loads
  // no library (static, setuid).
  static base::Result<std::unique_ptr<PlacedRun>> prepare(const MemoryOptions& options,
                                                          const std::vector<std::string>& words);
  virtual ~PlacedRun() = default;
  PlacedRun(const PlacedRun&) = delete;
  PlacedRun& operator=(const PlacedRun&) = delete;

  virtual std::vector<std::pair<std::string, std::string>> variables() const = 0;
  // Sets this thread's policy, which the program inherits, until `start` has come back.
  virtual base::Status with_policy(const std::function<void()>& start) = 0;
  // On standard error, `whose` before each line ("": of the only process), and in `object`.
  virtual void report(Json& object, const std::string& whose) = 0;

 protected:
  PlacedRun() = default;
};

}  // namespace weir::tool
