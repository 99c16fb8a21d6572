// SPDX-License-Identifier: Apache-2.0

// Data blocks that are made for another rank, which OCR_HINT_DB_AFFINITY names: their home is there. The EDT that makes
// one holds a copy of it, as if it had been lent one to write, so that what it writes goes there when it releases it.
// Any thread that has a BlockLocal.
#pragma once

#include <optional>

#include "ocr/blocks/block.hpp"
#include "ocr/mail/mail.hpp"

namespace weir::ocr {

// The rank whose block it is to be; none: the hints name none, or this rank, or it can only be of this rank.
std::optional<Rank> far_home(const BlockLocal& local, const BlockRequest& request) noexcept;
// Waits until it is made.
u8 create_far_block(BlockLocal& local, Rank where, Guid& guid, const BlockRequest& request, std::byte*& data);

// On the thread that performs what others ask.
Answer answer_create_block(BlockLocal& local, Reader& body);

}  // namespace weir::ocr
