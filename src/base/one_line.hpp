// SPDX-License-Identifier: Apache-2.0

// Text of users (names of files, values of options) as a message may show it: on one line, and without what a terminal
// would act upon. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace weir::base {

// Control characters are written as C writes them: \n, \x1b.
std::string one_line(std::string_view text);

}  // namespace weir::base
