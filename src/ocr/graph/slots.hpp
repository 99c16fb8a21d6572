// SPDX-License-Identifier: Apache-2.0

// From slot to slot, until an EDT has them all. Any thread that has a Local, its own.
#pragma once

#include "ocr/graph/local.hpp"

namespace weir::ocr {

// Slot of an EDT: satisfied with a block's GUID, or null. The caller has claimed it. The last one makes the EDT ready.
void satisfy(Local& local, Slot& slot, Guid block);
// A slot that has no source, of the EDT of a GUID, by a block or nothing. 0 or an error code.
u8 satisfy_slot(Local& local, Guid edt, std::uint32_t index, Guid block, std::uint8_t mode);
// Locked: keeps it from becoming ready, until arrive(), unlocked, does what it has missed. False: it is ready already.
[[nodiscard]] bool try_hold_back(Edt& edt) noexcept;
// One less is missing.
void arrive(Local& local, Edt& edt);
// Gives its memory back; nothing refers to it.
void free_edt(Local& local, Edt& edt) noexcept;

}  // namespace weir::ocr
