// How an instruction touches memory, by the Zydis library. Any thread.
#pragma once

#include <cstddef>
#include <span>

#include "platform/stopped_thread.hpp"

namespace weir::tool::check {

// Of the x86-64 instruction that `code` starts with. Length 0 when it is none that is known.
platform::Instruction decode(std::span<const unsigned char> code);

}  // namespace weir::tool::check
