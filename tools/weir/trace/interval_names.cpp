// SPDX-License-Identifier: Apache-2.0

#include "interval_names.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>

namespace weir::tool::convert {

std::string task_name(const RuntimeInfo& runtime, const Event& event) {
  const std::string* const name = runtime.name_in(event);
  return name != nullptr ? *name : event.id == 0 ? "half of a fork_join" : "task";
}

const char* wait_name(const Event& event) noexcept {
  constexpr std::array kNames = {"wait", "wait for children", "throttled", "wait for a task", "join", "work"};
  return kNames[event.small() < kNames.size() ? event.small() : 0];
}

std::string message_name(std::uint8_t what, const trace::MessageNote& note) {
  const auto message = static_cast<trace::RankMessage>(what);
  if (message == trace::RankMessage::block && !note.block.is_none())
    return fmt::format("block[{:#x}]", note.block.number);
  if (message == trace::RankMessage::request || message == trace::RankMessage::answer)
    return std::string(trace::kRankRequestNames[note.name.second % std::size(trace::kRankRequestNames)]);
  return std::string(trace::kRankMessageNames[what % std::size(trace::kRankMessageNames)]);
}

}  // namespace weir::tool::convert
