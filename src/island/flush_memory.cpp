// SPDX-License-Identifier: Apache-2.0

#include "island/flush_memory.hpp"

namespace weir::island {

base::Result<std::unique_ptr<SharedMemory>> FlushMemory::map(Bytes size) {
  const auto instructions = platform::cache_line_instructions();
  if (instructions.empty()) {
    return base::Status{base::Code::unsupported,
                        "island_memory=flush: this processor has no instruction by which a program writes lines of its "
                        "caches back (clwb, clflushopt, clflush, dc cvac); take coherent, or checked to test without"};
  }
  auto memory = Mapping::map(size, Mapping::Between::shared);
  if (!memory) return memory.status();
  return std::unique_ptr<SharedMemory>(std::make_unique<FlushMemory>(std::move(*memory), instructions.front()));
}

}  // namespace weir::island
