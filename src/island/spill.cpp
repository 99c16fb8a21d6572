// SPDX-License-Identifier: Apache-2.0

#include "island/spill.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "platform/pages.hpp"

namespace weir::island {

namespace {

// The kernel knows where a page is that this process has mapped, and a look maps one that another process has touched.
std::optional<bool> is_on_by_kernel(std::byte* page, std::size_t bytes, int os_node) {
  unsigned char there = 0;
  if (::mincore(page, bytes, &there) != 0 || (there & 1) == 0) return std::nullopt;
  static_cast<void>(*static_cast<const volatile unsigned char*>(static_cast<const void*>(page)));
  const auto places = platform::places_of(page, {bytes}, {&os_node, 1});
  if (!places || places->absent != 0) return std::nullopt;
  return places->elsewhere == 0;
}

}  // namespace

std::string Spill::text(const std::string& nodes) const {
  if (elsewhere == 0) return {};
  return fmt::format(
      "island_nodes={}: {}{} of {} MiB of the islands' memory are not on their nodes: node {} had no room for them, or "
      "they were in the file before; ask for less (island_heap), or name nodes that have more (weir topo)",
      nodes, is_sampled ? "about " : "", std::max<std::uint64_t>(elsewhere >> 20, 1),
      std::max<std::uint64_t>(there >> 20, 1), from_node);
}

Spill find_spill(const memory::SharedBacking& memory, const Segment& segment, std::uint64_t bytes,
                 const Spill::IsOn& is_on) {
  constexpr std::uint64_t kMost = 65536;
  Spill spill;
  if (segment.os_nodes.empty()) return spill;
  const std::uint64_t page = std::max<std::uint64_t>(memory.granule(), std::uint64_t(::sysconf(_SC_PAGESIZE)));
  const std::uint64_t pages = (std::min(bytes, memory.size().count) + page - 1) / page;
  const std::uint64_t step = (pages + kMost - 1) / kMost;
  spill.is_sampled = step > 1;
  for (std::uint64_t i = 0; i < pages; i += step) {
    const int node = segment.os_nodes[i * page / segment.stripe % segment.os_nodes.size()];
    const auto is_there = is_on(memory.data() + i * page, node);
    if (!is_there) continue;
    spill.there += step * page;
    if (*is_there) continue;
    if (spill.elsewhere == 0) spill.from_node = node;
    spill.elsewhere += step * page;
  }
  return spill;
}

Spill find_spill(const memory::SharedBacking& memory, const Segment& segment, std::uint64_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return find_spill(memory, segment, bytes,
                    [page](std::byte* at, int node) { return is_on_by_kernel(at, page, node); });
}

}  // namespace weir::island
