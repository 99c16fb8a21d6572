// SPDX-License-Identifier: Apache-2.0

// For files that make JSON: Json (global.hpp) is complete. A class of this size costs each file that includes it over a
// second to compile, so headers do not.
#pragma once

#include <nlohmann/json.hpp>

#include "global.hpp"
