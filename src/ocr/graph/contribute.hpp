// SPDX-License-Identifier: Apache-2.0

// Contributing to a collective event, and what follows from the last contribution of a generation.
#pragma once

#include "ocr/graph/local.hpp"

namespace weir::ocr {

// Contributor i hands in values, which are copied; null where nothing looks at them. 0 or an error code.
u8 contribute(Local& local, Guid event, const void* values, std::uint32_t contributor);

}  // namespace weir::ocr
