// SPDX-License-Identifier: Apache-2.0

// RankState: what an image says of its rank as one of several, and how a run with as many ranks, or others, goes on
// from that. The first thread; write_rank_state(): any, while the program stands still.
// docs/decisions/0050-a-rank-adopts-the-parts-of-others.md
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "checkpoint/past.hpp"

namespace weir::ocr {

std::string write_rank_state();

// The images that this rank goes on from: all ranks read their own, or all read all of them (Past::open_each()). Its
// tables give indices that were never given, on whichever rank, and homes of GUIDs are as all ranks have them. Before
// any object is made, and any message sent. bad_input: damaged, or no OCR program's. no_space: too many ranks.
base::Status take_rank_states(const std::vector<std::unique_ptr<checkpoint::Past>>& images);

}  // namespace weir::ocr
