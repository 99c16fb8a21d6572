// SPDX-License-Identifier: Apache-2.0

// Affinities: one for each domain of each rank, those of rank 0 first. An affinity's generation is the rank, its index
// the domain.
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

}  // namespace weir::ocr
