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
  answer,   // to that; wanted from the moment it was asked for
  block     // contents of a data block of OCR: for an EDT that wants them, or back to where the block is
};
// In the order of RankMessage.
inline constexpr std::string_view kRankMessageNames[] = {"tile", "part", "request", "answer", "block"};

// What a request of OCR is about, which is the second word of its name and of its answer's.
enum class RankRequest : std::uint8_t {
  other,
  create_edt,
  create_event,
  create_block,
  satisfy,
  depend,  // a dependence between ranks is added, or given up
  destroy,
  look_up,  // what there is under a GUID, a hint, a map of labels, a template
  contribute,
  use_block  // a data block is borrowed, lent, given back
};
// In the order of RankRequest.
inline constexpr std::string_view kRankRequestNames[] = {"request",    "create EDT",     "create event", "create block",
                                                         "satisfy",    "add dependence", "destroy",      "look up",
                                                         "contribute", "use block"};

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
