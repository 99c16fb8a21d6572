// SPDX-License-Identifier: Apache-2.0

#include "island/flush_memory.hpp"

#include <fmt/format.h>

namespace weir::island {

base::Status FlushMemory::usable(std::span<const platform::CacheLineInstructions> found) {
  if (found.empty()) {
    return {base::Code::unsupported,
            "island_memory=flush: this processor has no instruction by which a program writes lines of its "
            "caches back (clwb, clflushopt, clflush, dc cvac); take coherent, or checked to test without"};
  }
  const std::size_t moves = found.front().line_bytes;
  if (moves <= kLine) return base::Status::success();
  return {base::Code::unsupported,
          fmt::format("island_memory=flush: this processor's caches may write {} bytes back at a time, and "
                      "what processes write is {} bytes apart, so that one would undo what another wrote; "
                      "take coherent, or checked to test without",
                      moves, kLine)};
}

base::Result<std::unique_ptr<SharedMemory>> FlushMemory::map(const Segment& segment,
                                                             std::span<const platform::CacheLineInstructions> found) {
  if (base::Status status = usable(found); !status) return status;
  auto memory = map_segment(segment);
  if (!memory) return memory.status();
  return std::unique_ptr<SharedMemory>(std::make_unique<FlushMemory>(std::move(*memory), found.front()));
}

}  // namespace weir::island
