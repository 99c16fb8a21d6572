// SPDX-License-Identifier: Apache-2.0

#include "memory/parse_size.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>

namespace weir::memory {

namespace {

struct Unit {
  std::string_view name;  // in small letters
  double bytes;
};
constexpr Unit kUnits[] = {{"", 1},      {"b", 1},        {"kb", 1e3},     {"mb", 1e6},     {"gb", 1e9},
                           {"tb", 1e12}, {"kib", 0x1p10}, {"mib", 0x1p20}, {"gib", 0x1p30}, {"tib", 0x1p40}};

const Unit* unit_of(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::string name(text);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto* const found =
      std::find_if(std::begin(kUnits), std::end(kUnits), [&name](const Unit& unit) { return unit.name == name; });
  return found == std::end(kUnits) ? nullptr : found;
}

base::Status refuse(const char* why) { return {base::Code::bad_option, why}; }

}  // namespace

base::Result<Bytes> parse_size(std::string_view text) {
  constexpr double kMost = 1e15;
  constexpr const char* kTooMuch = "a size of 1 PB at most";
  double number = 0;
  const char* const stop = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), stop, number);
  if (error == std::errc::result_out_of_range) return refuse(kTooMuch);
  if (error != std::errc() || std::isnan(number)) return refuse("a size is needed, such as 512MB or 1.5GiB");
  const Unit* const unit = unit_of(std::string_view(end, static_cast<std::size_t>(stop - end)));
  if (unit == nullptr) return refuse("unknown unit; allowed is B, KB, MB, GB, TB, KiB, MiB, GiB or TiB");
  const double bytes = number * unit->bytes;
  if (bytes < 1) return refuse("a size is above 0");
  if (bytes > kMost) return refuse(kTooMuch);
  return Bytes{static_cast<std::uint64_t>(bytes)};
}

}  // namespace weir::memory
