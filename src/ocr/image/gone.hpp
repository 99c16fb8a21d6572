// SPDX-License-Identifier: Apache-2.0

// Data blocks of other ranks that are destroyed while EDTs here have copies of them: their homes have them no more, so
// the image of this rank has what they contain.
#pragma once

#include <optional>
#include <vector>

#include "ocr/mail/mail.hpp"
#include "ocr/objects/block.hpp"

namespace weir::ocr {

// One copy of each block that is gone, of those that EDTs of this rank have. Asks the blocks' homes; none: the program
// ends. While all ranks stand still, not on a thread that performs what others ask.
std::optional<std::vector<Block*>> find_last_copies();
// What is asked of a rank: GUIDs of its blocks; and its answer, those of them that are gone.
Answer answer_find_gone(Reader& body);

}  // namespace weir::ocr
