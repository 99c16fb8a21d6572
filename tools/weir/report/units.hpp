// SPDX-License-Identifier: Apache-2.0

// Times and sizes as people read them: three digits and a unit.
#pragma once

#include <cstdint>
#include <string>

namespace weir::tool::report {

std::string time_text(double ns);                // "1.23 ms"
std::string measured_size(std::uint64_t bytes);  // "3.10 GiB"; of a size that was chosen: memory::size_text()

}  // namespace weir::tool::report
