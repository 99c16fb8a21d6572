// SPDX-License-Identifier: Apache-2.0

#include "launch/tasks_per_node.hpp"

#include <charconv>

namespace weir::launch {

namespace {

// Takes a number off the beginning.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return number;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

}  // namespace

std::optional<std::uint32_t> tasks_of_node(std::string_view text, std::uint32_t node) {
  std::uint64_t first = 0;
  do {
    const auto tasks = take_number(text);
    if (!tasks) return std::nullopt;
    std::uint32_t nodes = 1;
    if (take(text, "(x")) {
      const auto times = take_number(text);
      if (!times || !take(text, ")")) return std::nullopt;
      nodes = *times;
    }
    if (node < first + nodes) return tasks;
    first += nodes;
  } while (take(text, ","));
  return std::nullopt;
}

}  // namespace weir::launch
