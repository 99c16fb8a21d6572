// SPDX-License-Identifier: Apache-2.0

// Affinities: one for each domain of each rank, those of rank 0 first. An affinity's generation is the rank, its index
// the domain.
//
// A program that goes on from a checkpoint may hold some of ranks or domains that are no more, and know that there were
// as many: each of them stands for one that is there (present_affinity()).
#pragma once

#include <cstdint>
#include <span>

#include "base/ids.hpp"
#include "ocr/objects/guid.hpp"

namespace weir::ocr {

// How many domains each rank has. Once, before the program begins.
void set_domains(std::span<const std::uint32_t> of_ranks);
std::uint64_t affinity_count() noexcept;
// One of so many. Affinities are counted from 0.
Guid affinity_at(std::uint64_t number) noexcept;
inline Guid affinity_of(Rank rank, int domain) noexcept {
  return Guid::make(Kind::affinity, static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(domain));
}
// Whether there is such an affinity.
bool is_affinity(Guid guid) noexcept;

// The most ranks and affinities that there were in the runs that this one goes on from, and in this one.
struct MostAffinities {
  std::uint32_t ranks = 0;
  std::uint64_t count = 0;
};
MostAffinities most_affinities() noexcept;
// Once, before any EDT runs; after set_domains().
void note_past_affinities(const MostAffinities& past) noexcept;
// The rank that one of an earlier run stands for; itself, when there is such a rank, or never was.
std::uint32_t present_rank(std::uint32_t rank) noexcept;
// The affinity that stands for it now: itself where there is such; the null GUID when there never was.
Guid present_affinity(Guid affinity) noexcept;

}  // namespace weir::ocr
