// SPDX-License-Identifier: Apache-2.0

#include "interval_names.hpp"

#include <array>

namespace weir::tool::convert {

std::string task_name(const RuntimeInfo& runtime, const Event& event) {
  const std::string* const name = runtime.name_in(event);
  return name != nullptr ? *name : event.id == 0 ? "half of a fork_join" : "task";
}

const char* wait_name(const Event& event) noexcept {
  constexpr std::array kNames = {"wait", "wait for children", "throttled", "wait for a task", "join", "work"};
  return kNames[event.small() < kNames.size() ? event.small() : 0];
}

}  // namespace weir::tool::convert
