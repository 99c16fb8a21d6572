// SPDX-License-Identifier: Apache-2.0

#include "shmem/heap/size_text.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <string>

namespace weir::shmem {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

// 0: it is none.
double unit(std::string_view suffix) {
  std::string letters;
  for (const char c : suffix) letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (letters.empty() || letters == "b") return 1;
  const std::size_t power = std::string_view("kmgt").find(letters[0]);
  if (power == std::string_view::npos) return 0;
  if (letters.size() > 1 && letters.substr(1) != "b" && letters.substr(1) != "ib") return 0;
  return std::pow(1024.0, static_cast<double>(power + 1));
}

}  // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) {
  text = trimmed(text);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{}) return {};
  const double bytes = number * unit(trimmed(text.substr(static_cast<std::size_t>(end - text.data()))));
  if (!(bytes >= 1) || bytes >= 0x1p63) return {};
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace weir::shmem
