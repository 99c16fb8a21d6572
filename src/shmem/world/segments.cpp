// SPDX-License-Identifier: Apache-2.0

#include "shmem/world/segments.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <deque>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::shmem {

namespace {

// What segments point to; never destroyed, as they may be used until the process ends.
struct Tables {
  std::deque<std::vector<std::ptrdiff_t>> to_pe;
  std::deque<std::string> names;
  std::vector<Segment> all;
  std::vector<int> neighbours;
  std::vector<Constants> constants;
};
Tables& tables() {
  static auto* const made = new Tables;
  return *made;
}

// Whether PEs do as if they were on different hosts.
bool is_kept_apart(int a, int b) {
  const char* const text = std::getenv("WEIR_SHMEM_REMOTE");
  if (text == nullptr || *text == '\0' || a == b) return false;
  const std::string_view which = text;
  if (which == "all") return true;
  if (which == "odd") return (a - b) % 2 != 0;
  fail(fmt::format("WEIR_SHMEM_REMOTE={} is unknown: all or odd", which));
}

bool is_neighbour(int pe) {
  const World& w = world();
  for (int i = 0; i < w.n_neighbours; ++i) {
    if (w.neighbours[i] == pe) return true;
  }
  return false;
}

// No thread looks for a segment while they are made: their table may move.
void publish(const Segment& segment) {
  World& w = world();
  std::vector<Segment>& all = tables().all;
  all.push_back(segment);
  if (all.size() <= std::size(w.segments)) w.segments[all.size() - 1] = segment;
  w.all_segments = all.data();
  w.n_segments = static_cast<int>(all.size());
}

}  // namespace

void find_neighbours() {
  World& w = world();
  tables().neighbours.clear();
  for (const Rank rank : w.transport->neighbours()) {
    const int pe = static_cast<int>(rank);
    if (!is_kept_apart(pe, w.my_pe)) tables().neighbours.push_back(pe);
  }
  w.neighbours = tables().neighbours.data();
  w.n_neighbours = static_cast<int>(tables().neighbours.size());
  w.has_remote = w.n_neighbours < w.n_pes;
}

void add_segment(const transport::Region& region, std::uint64_t region_offset, std::byte* own, std::size_t size,
                 const std::string& name) {
  World& w = world();
  std::vector<std::ptrdiff_t>& to_pe = tables().to_pe.emplace_back(w.n_pes, Segment::kNotMapped);
  for (int pe = 0; pe < w.n_pes; ++pe) {
    const std::byte* const part = w.transport->mapped(static_cast<Rank>(pe), region.id);
    if (part != nullptr && is_neighbour(pe)) {
      to_pe[pe] = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(part + region_offset) -
                                              reinterpret_cast<std::uintptr_t>(own));
    }
  }
  to_pe[w.my_pe] = 0;
  Segment segment;
  segment.start = reinterpret_cast<std::uintptr_t>(own);
  segment.size = size;
  segment.to_pe = to_pe.data();
  segment.direct_to_pe = to_pe.data();
  segment.polled_to_pe = to_pe.data();
  if (w.is_traced || w.is_checked || w.is_oversubscribed)
    segment.polled_to_pe = tables().to_pe.emplace_back(w.n_pes, Segment::kNotMapped).data();
  if (w.is_traced || w.is_checked) segment.direct_to_pe = segment.polled_to_pe;
  segment.region = region.id;
  segment.region_offset = region_offset;
  segment.name = tables().names.emplace_back(name).c_str();
  publish(segment);
}

void set_constants(std::vector<Constants> constants) {
  World& w = world();
  tables().constants = std::move(constants);
  w.constants = tables().constants.data();
  w.n_constants = static_cast<int>(tables().constants.size());
}

void clear_segments() noexcept {
  World& w = world();
  set_constants({});
  for (Segment& segment : w.segments) segment = {};
  w.all_segments = nullptr;
  w.n_segments = 0;
  tables().all.clear();
  tables().to_pe.clear();
  tables().names.clear();
}

}  // namespace weir::shmem
