// SPDX-License-Identifier: Apache-2.0

// How an instruction touches memory and where it jumps to, by the Zydis library, where the processor is x86-64. Any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "platform/stopped_thread.hpp"

namespace weir::tool::check {

// Nothing else may be called where it says no.
bool can_decode();

// Of the x86-64 instruction that `code` starts with. Length 0 when it is none that is known.
platform::Instruction decode(std::span<const unsigned char> code);

struct Flow {
  std::uint8_t length = 0;  // 0: it is no instruction that is known
  bool jumps = false;       // always or sometimes
  bool is_relative = false;
  std::int64_t by = 0;  // relative: from its end
};
Flow flow(std::span<const unsigned char> code);

}  // namespace weir::tool::check
