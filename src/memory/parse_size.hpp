// SPDX-License-Identifier: Apache-2.0

// Sizes as command lines have them: "512MB", "1.5 GiB", "4096".
//
// A number, decimals allowed, and a unit in letters of any case: B, KB, MB, GB and TB of 1000 bytes and more, KiB, MiB,
// GiB and TiB of 1024 and more; none is bytes. OpenSHMEM's variables have units of their own
// (shmem/heap/size_text.hpp). Pure.
#pragma once

#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace weir::memory {

// bad_option for what is no size, for less than a byte and for more than 10^15 of them; the message says which, and not
// where the text is from.
base::Result<Bytes> parse_size(std::string_view text);

}  // namespace weir::memory
