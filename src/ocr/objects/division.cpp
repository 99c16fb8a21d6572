// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/division.hpp"

#include <algorithm>
#include <queue>

namespace weir::ocr {

namespace {

constexpr std::uint64_t index_of(std::uint64_t part) noexcept { return part << kPartShift; }

Stretch stretch_of(std::uint64_t first_part, std::uint64_t end_part) noexcept {
  Stretch made;
  made.next.fill(std::max<std::uint64_t>(index_of(first_part), 1));  // 0 is no index
  made.end = index_of(end_part);
  return made;
}

std::vector<HomeRun> runs_of(const std::vector<std::uint32_t>& home_of_part) {
  std::vector<HomeRun> runs;
  for (std::uint32_t part = 0; part < home_of_part.size(); ++part)
    if (runs.empty() || runs.back().home != home_of_part[part]) runs.push_back({part, home_of_part[part]});
  return runs;
}

// Those that come take the upper half of what is free where most is.
class Cutting {
 public:
  explicit Cutting(Division& division) : division_(division) {
    for (std::uint32_t rank = 0; rank < division.stretches.size(); ++rank)
      for (std::size_t i = 0; i < division.stretches[rank].size(); ++i) note(rank, i);
  }

  // The giver keeps a part, for what it has yet to make.
  bool give_to(std::uint32_t rank, std::vector<std::uint32_t>& home_of_part) {
    if (places_.empty() || places_.top().parts < 2) return false;
    const Place from = places_.top();
    places_.pop();
    Stretch& giver = division_.stretches[from.rank][from.number];
    const std::uint64_t end = giver.end >> kPartShift, first = end - giver.free_parts() / 2;
    giver.end = index_of(first);
    division_.stretches[rank] = {stretch_of(first, end)};
    std::fill(home_of_part.begin() + static_cast<std::ptrdiff_t>(first),
              home_of_part.begin() + static_cast<std::ptrdiff_t>(end), rank);
    note(from.rank, from.number);
    note(rank, 0);
    return true;
  }

 private:
  struct Place {
    std::uint64_t parts;
    std::uint32_t rank;
    std::size_t number;
    // Of those with as many the one of the lower rank.
    bool operator<(const Place& other) const noexcept {
      return parts != other.parts ? parts < other.parts
             : rank != other.rank ? rank > other.rank
                                  : number > other.number;
    }
  };
  void note(std::uint32_t rank, std::size_t number) {
    places_.push({division_.stretches[rank][number].free_parts(), rank, number});
  }

  Division& division_;
  std::priority_queue<Place> places_;
};

}  // namespace

std::uint64_t Stretch::first_free_part() const noexcept {
  const std::uint64_t used = *std::max_element(next.begin(), next.end());
  return used <= 1 ? 0 : (used + (std::uint64_t{1} << kPartShift) - 1) >> kPartShift;
}

std::uint64_t Stretch::free_parts() const noexcept {
  const std::uint64_t first = first_free_part(), last = end >> kPartShift;
  return first < last ? last - first : 0;
}

Division divide(std::uint32_t ranks) {
  Division made;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    const std::uint64_t first = kParts * rank / ranks, end = kParts * (rank + 1) / ranks;
    made.homes.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(rank)});
    made.stretches.push_back({stretch_of(first, end)});
  }
  return made;
}

std::optional<Division> divide_again(const Division& past, std::uint32_t ranks) {
  Division made;
  made.stretches.resize(ranks);
  for (std::uint32_t rank = 0; rank < past.stretches.size(); ++rank) {
    std::vector<Stretch>& of = made.stretches[adopter_of(rank, ranks)];
    of.insert(of.end(), past.stretches[rank].begin(), past.stretches[rank].end());
  }
  std::vector<std::uint32_t> home_of_part(kParts);
  for (std::size_t i = 0; i < past.homes.size(); ++i) {
    const std::uint32_t end = i + 1 < past.homes.size() ? past.homes[i + 1].first : kParts;
    std::fill(home_of_part.begin() + past.homes[i].first, home_of_part.begin() + end,
              adopter_of(past.homes[i].home, ranks));
  }
  Cutting cutting(made);
  for (auto rank = static_cast<std::uint32_t>(past.stretches.size()); rank < ranks; ++rank)
    if (!cutting.give_to(rank, home_of_part)) return std::nullopt;
  // A rank makes new objects where it has most room for them.
  for (std::vector<Stretch>& of : made.stretches)
    std::stable_sort(of.begin(), of.end(),
                     [](const Stretch& one, const Stretch& other) { return one.free_parts() > other.free_parts(); });
  made.homes = runs_of(home_of_part);
  return made;
}

}  // namespace weir::ocr
