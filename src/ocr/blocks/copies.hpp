// SPDX-License-Identifier: Apache-2.0

// Copies: data blocks of other ranks, as EDTs of this one hold them. Each is for one EDT, in memory that no tier
// counts, from when it is lent until that EDT releases it. It shows the GUID of the block, and no table finds it. Any
// thread that has a BlockLocal.
#pragma once

#include <cstddef>
#include <span>

#include "ocr/blocks/block_local.hpp"

namespace weir::ocr {

// Held in that mode. Throws std::bad_alloc.
Block& make_copy(BlockLocal& local, Guid guid, std::uint8_t mode, std::span<const std::byte> contents);
// Its EDT releases it: what was to be written goes back to the block's home.
void end_copy(BlockLocal& local, Block& copy, std::uint8_t mode);
// Those of EDTs that have never run, at the end of the program.
void forget_copies(BlockLocal& local) noexcept;

}  // namespace weir::ocr
