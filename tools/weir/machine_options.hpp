// SPDX-License-Identifier: Apache-2.0

// The options by which a verb that simulates is told of machines: weir sim and weir advise.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "machine/machine.hpp"
#include "verb.hpp"

namespace weir::tool {

struct MachineOptions {
  std::string machine, traced_machine;  // "": this one
  double file_gb_per_s = 0;             // 0: as the traced run's file
};

void add_machine_options(CLI::App& verb, MachineOptions& options, const std::string& purpose);
// Of the machines that need no description.
std::vector<std::string> known_names();
// A paragraph on what --machine takes, for the verb's text.
std::string machine_names();

// The user has described the machine: by that name, or for hwloc by a variable (HWLOC_XMLFILE, HWLOC_SYNTHETIC). That
// it cannot be had is a wrong use, else a failure.
bool is_described(const std::string& name);

// While it lives, hwloc says nothing of its own of a file that it reads all the same: else a frame of ten lines. It
// looks whether it may when it reads the first machine. Programs are started when it has gone, with their own variable.
class QuietHwloc {
 public:
  QuietHwloc();
  QuietHwloc(const QuietHwloc&) = delete;
  QuietHwloc& operator=(const QuietHwloc&) = delete;
  ~QuietHwloc();

 private:
  bool is_ours_ = false;
};

// "": this machine. Fails as Machine::discover() and sim::find_machine().
base::Result<machine::Machine> machine_named(const std::string& text);

}  // namespace weir::tool
