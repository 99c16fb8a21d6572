// SPDX-License-Identifier: Apache-2.0

// What each worker did at every moment: one row per worker, of pieces that follow each other without gaps. Pure.
#pragma once

#include <vector>

#include "trace.hpp"

namespace weir::tool::report {

// The parts of a worker's time, as in TimeParts; absent: a guest or a spare that was not there, which no part counts.
enum class Part : std::uint8_t {
  running,
  program,
  analysing,
  scheduling,
  moving,
  data,
  others,
  ranks,
  work,
  idle,
  absent
};
inline constexpr std::size_t kParts = 11;

struct Piece {
  Ns ns = 0;  // how long
  Part part = Part::idle;
  bool asleep = false;
  std::uint32_t task = 0;  // running, analysing, moving: its number; 0: none
};

struct TimelineRow {
  std::size_t track = 0;
  std::vector<Piece> pieces;  // from Trace::start to Trace::end
};

// One row for each worker, and for each guest and spare that did something: as time_parts(). A time without work is one
// piece, of the part that most of it belongs to (data, others, ranks, work or idle).
std::vector<TimelineRow> timeline(const Trace& trace);

}  // namespace weir::tool::report
