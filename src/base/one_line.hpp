// SPDX-License-Identifier: Apache-2.0

// Text of users (names of files, tasks and blocks, values of options) as a message or a table may show it: on one line,
// and without what a terminal would act upon. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace weir::base {

// Control characters are written as C writes them: \n, \x1b; those of Unicode beyond ASCII, too: \xc2\x9b.
std::string one_line(std::string_view text);

}  // namespace weir::base
