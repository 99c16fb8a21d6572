// SPDX-License-Identifier: Apache-2.0

// Lines of the JSON that Perfetto and chrome://tracing open, from what a Resolver gives.
//
// One process per runtime, one row per track. Complete events ("X") for what a thread did, flows ("s", "f") for edges,
// async events ("b", "e") for what overlaps: moves and tasks that wait for data; instants for steals and evictions;
// counters ("C") for bytes by link and for what each tier holds. docs/tracing.md has every field. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text_buffer.hpp"

namespace weir::tool::convert {

// `text` between quotes, with what JSON does not allow in between escaped; bytes that are no UTF-8 become '?'.
std::string json_string(std::string_view text);

struct Line;
// Appends it, with a comma and the end of a line before it.
void write_line(TextBuffer& to, int runtime, const Line& line);
// An arrow between slices of processes, from a put to the wait that it ended.
struct FlowPoint {
  int process = 0;
  std::uint64_t track = 0, at_ns = 0;
};
void write_flow(TextBuffer& to, std::uint64_t id, std::string_view name, const FlowPoint& from, const FlowPoint& until);
// The same of a row: its name, as JSON, and its place.
void write_row(TextBuffer& to, int runtime, std::uint64_t track, const std::string& name);

}  // namespace weir::tool::convert
