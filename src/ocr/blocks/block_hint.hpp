// SPDX-License-Identifier: Apache-2.0

// What hints mean for blocks: where they are made, and what is prefetched.
#pragma once

#include "ocr/blocks/tiers.hpp"

namespace weir::ocr {

struct BlockLocal;

// Where a block with that hint is made.
Place place_of_hint(const BlockLocal& local, const ocrHint_t& hint) noexcept;
// Keeps the hint for ocrGetHint(), and does what it asks about prefetching. It does not place the block.
void apply_hint(Block& block, const ocrHint_t& hint);

}  // namespace weir::ocr
