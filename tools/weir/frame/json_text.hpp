// SPDX-License-Identifier: Apache-2.0

// How JSON becomes text. Names of files, arguments and threads may have any bytes: those that are no UTF-8 are replaced
// by U+FFFD, where the library would throw. Any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace weir::tool {

// In lines, what is in an object or an array being indented by `indent` spaces more; -1: all in one line.
inline std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace weir::tool
