// SPDX-License-Identifier: Apache-2.0

#include "transport/tier_room.hpp"

#include <algorithm>
#include <vector>

#include "memory/tier_spec.hpp"
#include "platform/memory_limit.hpp"

namespace weir::transport {
namespace {

constexpr std::uint64_t kLargePage = std::uint64_t{2} << 20;
constexpr std::uint64_t kUnknownHost = std::uint64_t{1} << 40;  // bytes
// Half of what a process can address with pages of four levels, 47 bits: what most machines have.
constexpr std::uint64_t kAddresses = std::uint64_t{64} << 40;
// Each piece of a region is rounded up to large pages, and each memory node of a tier is a piece.
constexpr std::uint64_t kRounding = 16 * kLargePage;

constexpr std::uint64_t with_copies(std::uint64_t tiers) { return tiers + tiers / 4; }
constexpr std::uint64_t large_pages(std::uint64_t bytes) {
  return std::max(kLargePage, bytes / kLargePage * kLargePage);
}

std::uint64_t sizes_said(std::string_view text) {
  const auto spec = memory::parse_tiers(text);
  std::uint64_t sum = 0;
  if (!spec) return sum;  // the tiers say what is wrong with it
  for (const memory::TierRequest& tier : spec->tiers)
    if (tier.kind != memory::TierKind::file && tier.size) sum += tier.size->count;
  return sum;
}

}  // namespace

TierRoom TierRoom::of(std::span<const Wish> wishes) noexcept {
  TierRoom room;
  std::uint64_t host = 0, asked = 0, share = Wish::kNoLimit, most = kAddresses;
  for (const Wish& wish : wishes) {
    host = std::max(host, wish.host == 0 ? kUnknownHost : wish.host);
    asked = std::max(asked, wish.asked);
    const std::uint64_t neighbours = std::max<std::uint64_t>(wish.neighbours, 1);
    most = std::min(most, kAddresses / neighbours);
    if (wish.left == Wish::kNoLimit) continue;
    share = std::min(share, wish.left / 2 / neighbours);
    room.limit = "ulimit -v for ranks";
  }
  if (with_copies(host) > most && share > most) {
    share = most;
    room.limit = "addresses for the ranks of a host";
  }
  room.tiers.count = host;
  room.copies.count = host / 4;
  if (room.limit == nullptr) return room;
  asked = std::min(asked, host);
  if (asked > 0) asked += std::min(kRounding, asked / 7) + 2 * kLargePage;  // of which most() takes an eighth
  const std::uint64_t whole = std::min(std::max(share, with_copies(asked)), with_copies(host));
  room.copies.count = large_pages(whole / 5);
  room.tiers.count = large_pages(whole - std::min(whole, room.copies.count));
  return room;
}

base::Result<TierRoom> TierRoom::agree(Transport& transport, std::string_view spec) {
  const Wish own{platform::memory_of_host().count, sizes_said(spec),
                 platform::addresses_left().value_or(Wish::kNoLimit), transport.neighbours().size()};
  std::vector<Wish> all(transport.ranks());
  const base::Status status =
      transport.all_gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  if (!status) return status;
  return of(all);
}

Bytes TierRoom::most() const noexcept { return {tiers.count - std::min(kRounding, tiers.count / 8)}; }

// The addresses of a limit are taken when tiers open: what it leaves then is the program's.
memory::TierSetConfig TierRoom::tiers_in(RegionMemory& region, unsigned processes) const {
  memory::TierSetConfig config;
  config.processes = processes;
  config.make_backing = [&region](const memory::ArenaConfig& arena) {
    return region.cut(arena.budget, arena.os_nodes, arena.name);
  };
  config.state = memory::MemoryState::of_this_system();
  config.state->mappable = [] { return platform::shared_memory_limit(); };
  if (limit == nullptr) return config;
  config.state->mappable = [all = most().count * processes, why = limit] {
    const platform::MemoryLimit physical = platform::physical_memory_limit();
    return physical.bytes <= all ? physical : platform::MemoryLimit{all, why};
  };
  return config;
}

}  // namespace weir::transport
