// SPDX-License-Identifier: Apache-2.0

// A line at the bottom of the terminal while another program writes to it: what that prints scrolls above the line and
// goes to the terminal as it is. The way of apt: the last row is taken out of the region that scrolls.
//
// One thread at a time, but for end_status_line().
#pragma once

#include <string_view>

namespace weir::tool {

// Shows `text` there, cut to the width of the terminal; "" gives the row back. Nothing when standard error is no
// terminal that understands it, has fewer than four rows, or belongs to another job.
void show_status_line(std::string_view text);

// Gives the row back. Async-signal-safe.
void end_status_line() noexcept;

}  // namespace weir::tool
