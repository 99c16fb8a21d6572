// SPDX-License-Identifier: Apache-2.0

// What one reading of a runtime's records, in bounded memory, makes of it for an archive: the events of each track,
// with tasks by number.
//
// Before a task's own event come as many of Kind::edge as it has predecessors that are listed (id: the predecessor's
// number, value: how many there are in all), and one of Kind::footprint where there was one. The id of a task, a spawn
// or a stage is pack_task() of its number.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "base/result.hpp"
#include "names.hpp"
#include "otf2/unit_stack.hpp"

namespace weir::tool::convert {

struct ResolvedTrace {
  std::deque<UnitStack> by_track;  // in the order in which they were recorded, the last one on top
};

// A task's number, 0 for none, and the track on which it was made; TaskNumbers::kNobody when that is not known.
constexpr std::uint64_t pack_task(std::uint32_t number, std::uint32_t made_on) noexcept {
  return std::uint64_t{made_on} << 32 | number;
}
constexpr std::uint32_t task_number(std::uint64_t packed) noexcept { return static_cast<std::uint32_t>(packed); }
constexpr std::uint32_t made_on(std::uint64_t packed) noexcept { return static_cast<std::uint32_t>(packed >> 32); }

// Files without a name lie in the folder of `path`. io_error, bad_input.
base::Result<ResolvedTrace> resolve_tracks(const TraceReader& reader, const RuntimeInfo& runtime,
                                           const std::string& path);

}  // namespace weir::tool::convert
