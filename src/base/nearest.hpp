// SPDX-License-Identifier: Apache-2.0

// The name that was probably meant: for "did you mean" in messages about options, variables, verbs and keys.
//
// Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weir::base {

// The least number of inserted, deleted, replaced and swapped neighbouring characters that turns one into the other.
int edit_distance(std::string_view a, std::string_view b);

// The one of `known` with the least distance to `word`, the first among equals; "" when none is close: more than a
// third of the word would have to change (of three characters or four, one may). Letter case counts for nothing.
std::string_view nearest(std::string_view word, std::span<const std::string> known);

// "; did you mean <nearest>?", or "" when none is close.
std::string suggestion(std::string_view word, std::span<const std::string> known);

}  // namespace weir::base
