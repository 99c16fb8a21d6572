// SPDX-License-Identifier: Apache-2.0

#include "trace/checksum_line.hpp"

#include <fmt/format.h>

#include <charconv>

#include "platform/crc32c.hpp"

namespace weir::trace {

namespace {

constexpr std::string_view kStart = "\"checksum\":\"crc32c:";
constexpr std::string_view kEnd = "\"}}\n";
constexpr std::size_t kDigits = 8;

}  // namespace

std::string with_checksum(std::string end, std::uint32_t before) {
  end += kStart;
  const std::uint32_t checksum = platform::crc32c(end, before);
  return end + fmt::format("{:08x}{}", checksum, kEnd);
}

std::optional<Checksum> find_checksum(std::string_view file) {
  if (!file.ends_with(kEnd)) return std::nullopt;
  file.remove_suffix(kEnd.size());
  if (file.size() < kDigits) return std::nullopt;
  const std::string_view digits = file.substr(file.size() - kDigits);
  file.remove_suffix(kDigits);
  Checksum found;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + kDigits, found.said, 16);
  if (!file.ends_with(kStart) || error != std::errc() || end != digits.data() + kDigits) return std::nullopt;
  found.is = platform::crc32c(file);
  return found;
}

}  // namespace weir::trace
