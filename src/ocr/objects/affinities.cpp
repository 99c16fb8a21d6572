// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/affinities.hpp"

#include <algorithm>
#include <vector>

#include "base/forever.hpp"
#include "ocr/objects/division.hpp"

namespace weir::ocr {

namespace {

// How many affinities there are up to each rank, itself among them.
std::vector<std::uint64_t>& ends() noexcept {
  static base::Forever<std::vector<std::uint64_t>> all;
  return all.value;
}

std::uint64_t first_of(std::size_t rank) noexcept { return rank == 0 ? 0 : ends()[rank - 1]; }
std::uint64_t domains_of(std::size_t rank) noexcept { return ends()[rank] - first_of(rank); }

constinit MostAffinities most_past;

}  // namespace

void set_domains(std::span<const std::uint32_t> of_ranks) {
  ends().clear();
  std::uint64_t sum = 0;
  for (const std::uint32_t domains : of_ranks) ends().push_back(sum += domains);
}

std::uint64_t affinity_count() noexcept { return ends().back(); }

Guid affinity_at(std::uint64_t number) noexcept {
  const auto rank = static_cast<std::size_t>(std::upper_bound(ends().begin(), ends().end(), number) - ends().begin());
  return affinity_of(Rank{static_cast<std::uint32_t>(rank)}, static_cast<int>(number - first_of(rank)));
}

bool is_affinity(Guid guid) noexcept {
  const std::size_t rank = guid.generation();
  return guid.kind() == Kind::affinity && rank < ends().size() && guid.index() < domains_of(rank);
}

MostAffinities most_affinities() noexcept {
  return {std::max(most_past.ranks, static_cast<std::uint32_t>(ends().size())),
          std::max(most_past.count, affinity_count())};
}

void note_past_affinities(const MostAffinities& past) noexcept { most_past = past; }

std::uint32_t present_rank(std::uint32_t rank) noexcept {
  const auto ranks = static_cast<std::uint32_t>(ends().size());
  return rank >= ranks && rank < most_past.ranks ? adopter_of(rank, ranks) : rank;
}

Guid present_affinity(Guid affinity) noexcept {
  if (is_affinity(affinity)) return affinity;
  const std::uint32_t rank = present_rank(affinity.generation());
  if (affinity.kind() != Kind::affinity || most_past.ranks == 0 || rank >= ends().size()) return {};
  return affinity_of(Rank{rank}, static_cast<int>(affinity.index() % domains_of(rank)));
}

}  // namespace weir::ocr
