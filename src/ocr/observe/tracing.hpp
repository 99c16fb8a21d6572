// SPDX-License-Identifier: Apache-2.0

// What OCR records when there is a trace: names of EDTs, their making, their blocks, who satisfied a slot, waits for
// data blocks.
//
// Called by the worker that does it, and only when that has a track.
#pragma once

#include <cstdint>

#include "ocr/objects/block.hpp"
#include "ocr/objects/edt.hpp"
#include "ocr/observe/message_log.hpp"

namespace weir::ocr {

struct ObserveLocal;

// A new EDT was made: from `start` until now. Before it can run.
void trace_made(ObserveLocal& local, Edt& edt, std::uint64_t start) noexcept;
// A slot of it is satisfied by the EDT that runs, or whose end this is, with that block or none.
void trace_satisfied(ObserveLocal& local, Edt& edt, Guid block) noexcept;
// It has its blocks and is about to be submitted: which they are and in which modes, and its name, which goes with it.
void trace_ready(ObserveLocal& local, Edt& edt);
// It runs from now on, and what it does is its doing until the next one begins. Returns what was before.
std::uint64_t trace_begin(ObserveLocal& local, Edt& edt) noexcept;
// It has to wait for a data block that others hold; it has got it.
void trace_block_wait(const Edt& edt) noexcept;
void trace_block_granted(ObserveLocal& local, Edt& edt) noexcept;
// It has got the contents of a block of another rank, for which it has waited.
void trace_block_came(Edt& edt, Rank from, const TracedContents& contents) noexcept;
// A block was made, and no other thread knows of it yet; it is destroyed and unused.
void trace_block_made(ObserveLocal& local, const Block& block) noexcept;
void trace_block_gone(ObserveLocal& local, const Block& block) noexcept;

}  // namespace weir::ocr
