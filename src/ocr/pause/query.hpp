// SPDX-License-Identifier: Apache-2.0

// Query: GUIDs of what there is of a paused program, on all ranks. What the library has made for itself on ranks (EDTs
// that stand for one elsewhere, that lend blocks) is left out.
#pragma once

#include <vector>

#include "ocr/mail/mail.hpp"
#include "ocr/objects/guid.hpp"
#include "ocr/program/program.hpp"

namespace weir::ocr {

// One of those that there are. `guid`: of the EDT whose blocks are asked for. The caller has paused the program, or
// this is its one rank.
std::vector<ocrGuid_t> query_everywhere(Program& program, ocrQueryType_t query, Guid guid);

// Of this rank. On the thread that performs what others ask.
Answer answer_query(Reader& body);

}  // namespace weir::ocr
