// SPDX-License-Identifier: Apache-2.0

// What an image has under a key, and by that name. The first thread. bad_input: it has no such item, which every
// checkpoint of an OCR program has that this version of Weir wrote; or it is damaged.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "checkpoint/past.hpp"

namespace weir::ocr {

struct ClaimedItem {
  checkpoint::Contents contents;
  std::uint64_t bytes = 0;
};

// To be read piece by piece.
base::Result<ClaimedItem> claim_item(checkpoint::Past& image, std::uint64_t key, const char* name);
// All of it. Throws std::bad_alloc.
base::Result<std::string> read_item(checkpoint::Past& image, std::uint64_t key, const char* name);

}  // namespace weir::ocr
