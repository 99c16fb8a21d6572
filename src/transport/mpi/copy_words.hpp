// SPDX-License-Identifier: Apache-2.0

// copy_words: a copy that writes and reads each aligned word of 8, 4 or 2 bytes at once, so that a processor that looks
// at one beside it never sees a part of it: programs wait for words that others put.
#pragma once

#include <cstddef>

namespace weir::transport::mpi {

// `to` and `from` do not overlap.
void copy_words(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;

}  // namespace weir::transport::mpi
