// SPDX-License-Identifier: Apache-2.0

// Calls of a PE as people read them: a name, and the PE and the bytes that it is about. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "names.hpp"

namespace weir::tool::convert {

// Whether events of this kind are calls of a PE.
bool is_pe_call(Kind kind) noexcept;

struct PeCall {
  std::string_view category, name;  // "put", "put with signal"
  std::optional<std::uint32_t> pe;  // the other one, of puts, gets and atomics
  std::uint64_t bytes = 0;
};
// `id` and `bytes` as in the event.
PeCall pe_call(Kind kind, std::uint8_t small, std::uint64_t id, std::uint64_t bytes) noexcept;

}  // namespace weir::tool::convert
