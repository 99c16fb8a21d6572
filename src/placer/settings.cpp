// SPDX-License-Identifier: Apache-2.0

#include "placer/settings.hpp"

#include <cstdlib>
#include <cstring>

namespace weir::placer {

namespace {

// The value behind `name`; null when the text has none.
const char* value_of(const char* text, const char* name) noexcept {
  const char* const found = strstr(text, name);
  return found == nullptr ? nullptr : found + strlen(name);
}

void read_nodes(Settings& settings, const char* list) noexcept {
  constexpr std::size_t kBits = 8 * sizeof settings.nodes;
  while (*list >= '0' && *list <= '9') {
    char* end = nullptr;
    const unsigned long node = strtoul(list, &end, 10);
    if (node < kBits) settings.nodes[node / 64] |= 1ul << (node % 64);
    list = *end == ',' ? end + 1 : end;
  }
}

}  // namespace

void read(Settings& settings, const char* text) noexcept {
  const char* const from = value_of(text, "from=");
  const char* const mode = value_of(text, " mode=");
  const char* const one = value_of(text, " one=");
  const char* const nodes = value_of(text, " nodes=");
  const char* const report = value_of(text, " report=");
  if (from != text + 5 || mode == nullptr || one == nullptr || nodes == nullptr || report == nullptr) return;
  if (strlen(report) >= sizeof settings.report) return;
  settings.from = strtoull(from, nullptr, 10);
  settings.mode = static_cast<int>(strtol(mode, nullptr, 10));
  settings.one = static_cast<int>(strtol(one, nullptr, 10));
  read_nodes(settings, nodes);
  strcpy(settings.report, report);
  settings.active = true;
}

}  // namespace weir::placer
