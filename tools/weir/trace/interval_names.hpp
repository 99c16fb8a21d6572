// SPDX-License-Identifier: Apache-2.0

// What intervals are called; of tasks without a name, too.
#pragma once

#include <string>

#include "names.hpp"
#include "trace/rank_events.hpp"

namespace weir::tool::convert {

std::string task_name(const RuntimeInfo& runtime, const Event& event);  // of a Kind::task
const char* wait_name(const Event& event) noexcept;                     // of a Kind::wait
// Of a Kind::sent or Kind::received whose block has no name. `what`: a trace::RankMessage.
std::string message_name(std::uint8_t what, const trace::MessageNote& note);

}  // namespace weir::tool::convert
