// SPDX-License-Identifier: Apache-2.0

// What is said on standard error. fmt::print() throws where that cannot be written to (a full disk); what a command
// does and its exit status do not depend on whether it could be told. Any thread.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace weir::tool {

template <class... Values>
void print_error(fmt::format_string<Values...> format, Values&&... values) {
  const std::string text = fmt::format(format, std::forward<Values>(values)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace weir::tool
