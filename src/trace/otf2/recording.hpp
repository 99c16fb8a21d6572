// Recording: a spool as a whole, for a format whose records are in the order of time by thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/recording.hpp"
#include "trace/spool.hpp"

namespace weir::trace {

class Recording {
 public:
  Recording(std::span<const Event> units, const Summary& about, const TimeScale& times);

  const Summary& summary;
  const TimeScale scale;
  std::vector<std::string> tracks;                  // their names
  std::vector<std::vector<const Event*>> by_track;  // in the order in which they were recorded
  std::vector<const Event*> events;                 // all
  std::vector<std::string> blocks;                  // names, by number

  std::string tier_name(std::uint8_t tier) const {
    return tier < summary.tiers.size() ? summary.tiers[tier].name : "program";
  }
  std::string link_name(std::uint8_t ends) const { return tier_name(ends >> 4) + " to " + tier_name(ends & 15); }
  std::string block_name(std::uint64_t block) const { return block < blocks.size() ? blocks[block] : "?"; }
};

}  // namespace weir::trace
