// SPDX-License-Identifier: Apache-2.0

// Memory inside data blocks of other ranks (ocrDbMalloc), of which the running EDT has a copy: the block's home keeps
// the ranges, so that all copies agree. Any thread that has a BlockLocal; it waits for the home's answer.
#pragma once

#include "ocr/mail/mail.hpp"
#include "ocr/objects/block.hpp"

namespace weir::ocr {

// Of a copy that its EDT holds. 0 or a code: OCR_ENOMEM, or OCR_EINVAL when the block's creation did not allow it,
// nothing starts at the offset, or the block, which is only read, is destroyed.
u8 allocate_far(const Block& copy, u64 bytes, u64& offset);
u8 free_far(const Block& copy, u64 offset);

// At the home, on the thread that performs what others ask.
Answer answer_use_heap(Reader& body);

}  // namespace weir::ocr
