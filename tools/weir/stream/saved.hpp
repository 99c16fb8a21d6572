// SPDX-License-Identifier: Apache-2.0

// Rows of STREAM in the form of `weir stream --json`: to keep them, and to compare with an earlier run. One thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "stream/sweep.hpp"

namespace weir::tool {

nlohmann::ordered_json object_of(const SweepRow& row);

// What --save or --json has written. not_found, or bad_input when it is something else; both name the file.
base::Result<std::vector<SweepRow>> read_saved(const std::string& path);

// io_error, naming the file.
base::Status write_saved(const std::string& path, std::span<const SweepRow> rows);

// The row of `earlier` that measured the same; null when there is none.
const SweepRow* same_in(std::span<const SweepRow> earlier, const SweepRow& row);

// Why two rows are not quite comparable: another processor, other instructions, pages or arrays. "": nothing is known
// that differs.
std::string differs(const SweepRow& then, const SweepRow& now);
// That of each row and the one of `earlier` that measured the same, or its first, each reason once. `earlier` is not
// empty.
std::vector<std::string> differences(std::span<const SweepRow> earlier, std::span<const SweepRow> rows);

}  // namespace weir::tool
