// SPDX-License-Identifier: Apache-2.0

// What intervals are called; of tasks without a name, too.
#pragma once

#include <string>

#include "names.hpp"

namespace weir::tool::convert {

std::string task_name(const RuntimeInfo& runtime, const Event& event);  // of a Kind::task
const char* wait_name(const Event& event) noexcept;                     // of a Kind::wait

}  // namespace weir::tool::convert
