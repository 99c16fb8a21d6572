// SPDX-License-Identifier: Apache-2.0

// Lines of the JSON that Perfetto and chrome://tracing open: from events whose numbers, names and times are known.
//
// One process per runtime, one row per track. Complete events ("X") for what a thread did, flows ("s", "f") for edges,
// async events ("b", "e") for what overlaps: moves and tasks that wait for data; instants for steals and evictions;
// counters ("C") for bytes by link and for what each tier holds. docs/tracing.md has every field. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/event.hpp"
#include "trace/text_buffer.hpp"

namespace weir::trace {

// `text` between quotes, with what JSON does not allow in between escaped; bytes that are no UTF-8 become '?'.
std::string json_string(std::string_view text);

// One event; which fields there are depends on its kind.
struct Line {
  Kind kind = Kind::none;
  std::uint8_t small = 0;  // of the event
  std::uint32_t track = 0;
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint64_t task = 0;              // number; of an edge the earlier one; of a move the block
  std::uint64_t value = 0;             // of the event; of an edge the later task
  std::uint64_t id = 0;                // of flows and of what overlaps: unique in the file; else of the event
  std::uint64_t sum = 0;               // of a move: bytes so far over its link; of an edge the later task's track
  const std::string* name = nullptr;   // as JSON; of a data_wait that of the holder, or null
  const std::string* from = nullptr;   // of a move, the tiers, as JSON; of evictions and residency the tier
  const std::string* to = nullptr;     // of a move
  const std::string* label = nullptr;  // of a move its link's, of residency that of the tier's counter, as JSON
};

// Appends it, with a comma and the end of a line before it.
void write_line(TextBuffer& to, int runtime, const Line& line);

}  // namespace weir::trace
