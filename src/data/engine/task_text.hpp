// SPDX-License-Identifier: Apache-2.0

// How messages name a task.
#pragma once

#include <string>

#include "data/engine/request.hpp"

namespace weir::data::engine {

// The place in the source of an address of the program's code, for people.
using SiteText = std::string (*)(const void* site);

// For people: task "a", or which one it is of those without a name. `site_text` null: places are left out.
std::string task_text(const Request& request, SiteText site_text);

}  // namespace weir::data::engine
