// SPDX-License-Identifier: Apache-2.0

// Where measured costs are kept between runs: ${XDG_CACHE_HOME:-~/.cache}/weir/machine-<fingerprint>.
//
// The fingerprint covers what the numbers depend on: CPU model, domains with their cores, memory nodes with their
// kinds. A file that does not fit is as good as none. Written under a temporary name and renamed, so readers see a
// whole file or none. Any thread, any process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/machine.hpp"

namespace weir::machine {

using Costs = std::vector<std::vector<Cost>>;  // [node][domain]

// 16 hexadecimal digits; equal for equal machines.
std::string fingerprint(const Machine& machine);

// Empty when neither XDG_CACHE_HOME nor HOME is set.
std::string measured_path(const Machine& machine);

// None when there is no readable file for this machine.
std::optional<Costs> load_measured(const Machine& machine);

// io_error names the file and the reason.
base::Status save_measured(const Machine& machine, const Costs& costs);

}  // namespace weir::machine
