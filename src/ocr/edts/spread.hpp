// SPDX-License-Identifier: Apache-2.0

// Spread: where an EDT goes that no hint places, if the user wants that, in a program that places none: to a rank that
// has nothing to run, and has said so lately, if that pays (ocr/edts/policy/spread.hpp); else it stays with its maker.
// docs/decisions/0039-edts-without-hints-go-where-nothing-runs.md,
// docs/decisions/0041-an-edt-goes-elsewhere-when-its-bytes-are-few.md
#pragma once

#include <optional>

#include "ocr/edts/create_edt.hpp"
#include "ocr/mail/mail.hpp"

namespace weir::ocr {

// Once, before the program begins. Each rank has nothing to run then, and rank 0 knows it. `per_rank`: how many EDTs a
// rank gets before it asks for more.
void begin_spread(bool is_wanted, std::uint32_t per_rank) noexcept;
// A hint has placed an EDT: the program knows where its EDTs belong, and from now on this rank spreads none.
void end_spread() noexcept;
bool is_spreading() noexcept;

// The rank that gets the EDT; none: this one. Any thread that has a Local.
std::optional<Rank> spread_to(const Local& local, const EdtKind& kind, const EdtRequest& request) noexcept;

// This rank has nothing to run: `rank` may send so many EDTs here.
void ask_for_edts(Rank rank);
// ---- Asked by another rank ----
Answer answer_ask_for_edts(Rank from, Reader& body);

}  // namespace weir::ocr
