// SPDX-License-Identifier: Apache-2.0

// A JobView with its Stand, for people and as JSON.
#pragma once

#include <string>

#include "global.hpp"
#include "job_view.hpp"
#include "stand.hpp"

namespace weir::tool {

// Lines; those that are set in belong to the one before that is not.
std::string text_of(const JobView& job, const Stand& stand);
// One object. docs/explaining.md says what is in it.
Json object_of(const JobView& job, const Stand& stand);

}  // namespace weir::tool
