// SPDX-License-Identifier: Apache-2.0

// How Slurm writes how many processes each node has: "2(x3),1" is 2, 2, 2 and 1. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weir::launch {

// Of the node with that number; none when there is no such node, or the text is not of this form.
std::optional<std::uint32_t> tasks_of_node(std::string_view text, std::uint32_t node);

}  // namespace weir::launch
