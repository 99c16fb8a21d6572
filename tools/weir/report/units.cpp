// SPDX-License-Identifier: Apache-2.0

#include "units.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "memory/tier_spec.hpp"

namespace weir::tool::report {

namespace {

std::string three_digits(double value, std::string_view unit) {
  return fmt::format("{:.{}f} {}", value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, unit);
}

}  // namespace

std::string time_text(double ns) {
  if (std::abs(ns) < 999.5) return fmt::format("{:.0f} ns", ns);
  if (ns < 999.5e3) return three_digits(ns / 1e3, "us");
  if (ns < 999.5e6) return three_digits(ns / 1e6, "ms");
  return three_digits(ns / 1e9, "s");
}

std::string counted(std::uint64_t count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string measured_size(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  const memory::SizeUnit& unit = memory::unit_for(Bytes{bytes}, 1023.95 / 1024);  // "1.00 MiB" rather than "1024 KiB"
  return three_digits(static_cast<double>(bytes) / unit.bytes, unit.name);
}

}  // namespace weir::tool::report
