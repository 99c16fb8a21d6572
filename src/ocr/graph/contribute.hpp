// SPDX-License-Identifier: Apache-2.0

// Contributing to a collective event, and what follows from the last contribution of a generation.
#pragma once

#include <cstddef>
#include <optional>

#include "ocr/graph/local.hpp"

namespace weir::ocr {

// Contributor i hands in values, which are copied; null where nothing looks at them. `bytes`: how many there are, where
// that is known. 0 or an error code: OCR_EINVAL where the event takes more, or fewer.
u8 contribute(Local& local, Guid event, const void* values, std::uint32_t contributor,
              std::optional<std::size_t> bytes = std::nullopt);

}  // namespace weir::ocr
