// SPDX-License-Identifier: Apache-2.0

#include "units.hpp"

#include <fmt/format.h>

#include <cmath>

namespace weir::tool::report {

namespace {

std::string three_digits(double value, const char* unit) {
  return fmt::format("{:.{}f} {}", value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, unit);
}

}  // namespace

std::string time_text(double ns) {
  if (std::abs(ns) < 999.5) return fmt::format("{:.0f} ns", ns);
  if (ns < 999.5e3) return three_digits(ns / 1e3, "us");
  if (ns < 999.5e6) return three_digits(ns / 1e6, "ms");
  return three_digits(ns / 1e9, "s");
}

std::string size_text(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  int unit = 0;
  for (; value >= 1023.95 && unit < 3; ++unit) value /= 1024;
  return three_digits(value, kUnits[unit]);
}

}  // namespace weir::tool::report
