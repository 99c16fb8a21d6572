// SPDX-License-Identifier: Apache-2.0

// Memory for whose lines each process sees by itself, by the processor's instructions (platform/cache_lines.hpp).
#pragma once

#include <span>

#include "island/mapping.hpp"
#include "platform/cache_lines.hpp"

namespace weir::island {

class FlushMemory final : public MappedMemory {
 public:
  FlushMemory(std::unique_ptr<memory::SharedBacking> memory,
              const platform::CacheLineInstructions& instructions) noexcept
      : MappedMemory(std::move(memory)), instructions_(instructions) {}
  // That memory of this kind can be had here: with what the processor has, as below.
  static base::Status usable(
      std::span<const platform::CacheLineInstructions> found = platform::cache_line_instructions());
  // no_space, or unsupported where the processor has no such instructions, or caches that move more than a line of ours
  // at a time. `found`: what the processor has.
  static base::Result<std::unique_ptr<SharedMemory>> map(
      const Segment& segment,
      std::span<const platform::CacheLineInstructions> found = platform::cache_line_instructions());

  void write_back(const void* data, std::size_t bytes) noexcept override { instructions_.write_back(data, bytes); }
  void invalidate(const void* data, std::size_t bytes) noexcept override { instructions_.invalidate(data, bytes); }

 private:
  const platform::CacheLineInstructions& instructions_;
};

}  // namespace weir::island
