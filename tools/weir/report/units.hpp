// SPDX-License-Identifier: Apache-2.0

// Times and sizes as people read them: three digits and a unit.
#pragma once

#include <cstdint>
#include <string>

namespace weir::tool::report {

std::string time_text(double ns);                             // "1.23 ms"
std::string counted(std::uint64_t count, const char* thing);  // "1 worker", "2 workers"
std::string measured_size(std::uint64_t bytes);  // "3.10 GiB"; of a size that was chosen: memory::size_text()

}  // namespace weir::tool::report
