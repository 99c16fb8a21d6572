// SPDX-License-Identifier: Apache-2.0

// What events of a rank mean by their fields: messages that tasks of one rank have for those of another.
//
// Numbers are part of the file format (docs/trace-format.md): new ones are added at the end. Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "trace/event.hpp"

namespace weir::trace {

enum class RankMessage : std::uint8_t {
  tile,     // a version of a tile of a distributed array
  part,     // what a rank has accumulated into such a tile
  request,  // of OCR: what one rank asks of another; received by the task that does it
  answer    // to that; wanted from the moment it was asked for
};
// In the order of RankMessage.
inline constexpr std::string_view kRankMessageNames[] = {"tile", "part", "request", "answer"};

// Of the messages from one rank to another, and of one RankMessage, no two have the same.
struct MessageName {
  std::uint64_t first = 0, second = 0;
  friend auto operator<=>(const MessageName&, const MessageName&) = default;
};

// What a unit of Kind::message says.
struct MessageNote {
  MessageName name;
  EdgeBlock block;
  std::uint32_t other = 0;  // rank: to whom, or from whom

  Event unit() const noexcept {
    return {name.first, name.second, block.number, Event::pack(Kind::message, other, block.small)};
  }
  static MessageNote of(const Event& unit) noexcept {
    return {{unit.start, unit.duration}, {unit.small(), unit.id}, static_cast<std::uint32_t>(unit.value())};
  }
};

}  // namespace weir::trace
