// SPDX-License-Identifier: Apache-2.0

// Segments of World: made at the start, one after the other, the same on every PE. One thread.
#pragma once

#include <string>
#include <vector>

#include "shmem/world/world.hpp"

namespace weir::shmem {

// Makes a range of a region symmetric. `region_offset` is where it begins in the region, `own` where this PE's program
// has it in its memory (its own part of the region or another mapping of the same pages).
void add_segment(const transport::Region& region, std::uint64_t region_offset, std::byte* own, std::size_t size,
                 const std::string& name);
// What gets and collectives may read of another PE by reading this one's own. After the PEs have agreed that theirs is
// the same.
void set_constants(std::vector<Constants> constants);
// Nothing is symmetric any more.
void clear_segments() noexcept;

// Which PEs have their memory mapped here, this one too: fills World::neighbours and has_remote. With the environment
// variable WEIR_SHMEM_REMOTE PEs of one host do as if they were not, for tests: "all", or "odd": even and odd PEs.
void find_neighbours();

}  // namespace weir::shmem
