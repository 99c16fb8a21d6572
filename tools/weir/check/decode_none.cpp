// SPDX-License-Identifier: Apache-2.0

// For processors whose instructions nobody here decodes: none is known. `weir check` refuses to begin there.
#include "check/decode.hpp"

namespace weir::tool::check {

bool can_decode() { return false; }
platform::Instruction decode(std::span<const unsigned char>) { return {}; }
Flow flow(std::span<const unsigned char>) { return {}; }

}  // namespace weir::tool::check
