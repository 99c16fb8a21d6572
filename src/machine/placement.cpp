// SPDX-License-Identifier: Apache-2.0

#include "machine/placement.hpp"

#include <algorithm>
#include <map>

#include "machine/machine_data.hpp"

namespace weir::machine {
namespace {

struct Seat {
  std::vector<int> cpus;
  std::size_t domain = 0;  // in the order of the domains chosen
  int tile = 0;            // in the order in which tiles are met
  int in_tile = 0;         // in the order of the tile's cores
};

bool is_chosen(const Domain& domain, const std::vector<DomainId>& domains) {
  return domains.empty() || std::find(domains.begin(), domains.end(), domain.id) != domains.end();
}

// In compact order.
std::vector<Seat> seats_of(const Machine& machine, const std::vector<DomainId>& domains) {
  std::vector<Seat> seats;
  std::vector<int> taken;  // cores by tile
  std::map<int, int> tile_of_cache;
  const std::map<int, int>& caches = machine.data().tiles;
  std::size_t chosen = 0;
  for (const Domain& domain : machine.domains()) {
    if (!is_chosen(domain, domains)) continue;
    for (const Core& core : domain.cores) {
      const auto cache = caches.find(core.os_cpus.front());
      const bool met = cache != caches.end() && tile_of_cache.count(cache->second) != 0;
      const int tile = met ? tile_of_cache[cache->second] : int(taken.size());
      if (!met) taken.push_back(0);
      if (cache != caches.end()) tile_of_cache[cache->second] = tile;
      seats.push_back({core.os_cpus, chosen, tile, taken[std::size_t(tile)]++});
    }
    ++chosen;
  }
  std::stable_sort(seats.begin(), seats.end(), [](const Seat& a, const Seat& b) {
    return a.domain != b.domain ? a.domain < b.domain : a.tile < b.tile;
  });
  return seats;
}

void by_tile(std::vector<Seat>& seats) {
  std::stable_sort(seats.begin(), seats.end(), [](const Seat& a, const Seat& b) { return a.in_tile < b.in_tile; });
}

// For each domain chosen, its turn: the first of each package before the second of any.
std::vector<std::size_t> turns_of(const Machine& machine, const std::vector<DomainId>& domains) {
  std::vector<std::size_t> turn;
  std::map<int, int> of_package;
  std::vector<std::pair<int, int>> keys;
  for (const Domain& domain : machine.domains()) {
    if (is_chosen(domain, domains)) keys.emplace_back(of_package[domain.package]++, domain.package);
  }
  for (const auto& key : keys) {
    turn.push_back(
        std::size_t(std::count_if(keys.begin(), keys.end(), [&](const auto& other) { return other < key; })));
  }
  return turn;
}

void scatter(std::vector<Seat>& seats, const std::vector<std::size_t>& turns) {
  by_tile(seats);
  std::vector<int> met(turns.size());
  std::vector<std::pair<std::pair<int, std::size_t>, Seat>> ordered;
  for (Seat& seat : seats) ordered.push_back({{met[seat.domain]++, turns[seat.domain]}, seat});
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < seats.size(); ++i) seats[i] = std::move(ordered[i].second);
}

}  // namespace

const char* to_string(Placement placement) noexcept {
  switch (placement) {
    case Placement::compact: return "compact";
    case Placement::scatter: return "scatter";
    case Placement::tile: break;
  }
  return "tile";
}

std::vector<std::vector<int>> place_threads(const Machine& machine, const std::vector<DomainId>& domains,
                                            Placement placement, int count) {
  std::vector<Seat> seats = seats_of(machine, domains);
  if (placement == Placement::tile) by_tile(seats);
  if (placement == Placement::scatter) scatter(seats, turns_of(machine, domains));
  std::vector<std::vector<int>> threads;
  const std::size_t wanted = count > 0 ? std::size_t(count) : seats.size();
  for (std::size_t i = 0; i < wanted && !seats.empty(); ++i) threads.push_back(seats[i % seats.size()].cpus);
  return threads;
}

int tile_count(const Machine& machine, const std::vector<DomainId>& domains) {
  const std::vector<Seat> seats = seats_of(machine, domains);
  return int(std::count_if(seats.begin(), seats.end(), [](const Seat& seat) { return seat.in_tile == 0; }));
}

}  // namespace weir::machine
