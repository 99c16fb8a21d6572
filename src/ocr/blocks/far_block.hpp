// SPDX-License-Identifier: Apache-2.0

// Data blocks that are made for another rank, which has reserved their label, or which OCR_HINT_DB_AFFINITY names:
// their home is there. The EDT that makes one holds a copy of it, as if it had been lent one to write, so that what it
// writes goes there when it releases it. Any thread that has a BlockLocal.
#pragma once

#include <optional>

#include "ocr/blocks/block.hpp"
#include "ocr/mail/mail.hpp"

namespace weir::ocr {

// Where the program runs on several ranks: the rank whose block it is to be; none: neither its label nor the hints name
// one, or this one, or it has no label and can only be of this rank. `guid`: the label.
std::optional<Rank> far_home(const BlockLocal& local, Guid guid, const BlockRequest& request) noexcept;
// Waits until it is made; for its label as the properties say. `guid` is read when labelled.
u8 create_far_block(BlockLocal& local, Rank where, Guid& guid, const BlockRequest& request, std::byte*& data);

// On the thread that performs what others ask.
Answer answer_create_block(BlockLocal& local, Reader& body);

}  // namespace weir::ocr
