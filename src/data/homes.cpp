// SPDX-License-Identifier: Apache-2.0

// Residency: where blocks live when they are in no replica.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "data/residency.hpp"

namespace weir::data {

namespace {

// What `off` leaves of the fast tier for tasks whose blocks are in a file: they need a place while the task runs.
constexpr std::size_t kStagingPart = 8;

bool is_ordinary(TierKind kind) noexcept { return kind == TierKind::ddr || kind == TierKind::memory; }

}  // namespace

// With a mode that does not ask for fast memory, ordinary memory is the tier that blocks are brought to.
Residency::Residency(TierSet& tiers, const Config& config)
    : tiers_(tiers), config_(config), top_(0), places_(tiers.arenas().size()), homed_(tiers.tiers().size()) {
  const auto all = tiers.tiers();
  if (config.allocation == Allocation::default_ || config.allocation == Allocation::local) {
    const auto ordinary = std::find_if(all.begin(), all.end(), [](const Tier& t) { return is_ordinary(t.kind); });
    if (ordinary != all.end()) top_ = static_cast<std::size_t>(ordinary - all.begin());
  }
  while (!all[top_].addressable && top_ + 1 < all.size()) ++top_;
  for (const Tier& tier : all) has_file_ |= tier.file != nullptr;
  for (Place& place : places_) place.leaving_order = Candidates(ByKey{config_.evict});
  const bool one_queue = config.strategy == Strategy::ahead;
  lanes_.resize(one_queue ? 1 : std::max<std::size_t>(1, config.workers));
}

Residency::~Residency() = default;

Arena& Residency::default_arena(int domain) noexcept {
  const Tier& tier = tiers_.tiers()[top_];
  return *tier.arenas[static_cast<std::size_t>(domain) % tier.arenas.size()];
}

base::Status Residency::no_room(const Block& block) const {
  std::string there;
  for (const Tier& tier : tiers_.tiers().subspan(top_)) {
    const auto i = static_cast<std::size_t>(tier.index);
    if (!there.empty()) there += ", ";
    there += fmt::format("{} {} with {} taken", tier.name, size_text(tier.budget), size_text({homed_[i]}));
  }
  const char* const note =
      has_file_ ? "; what is brought to a faster tier keeps its place in the file, so that sizes do not add up" : "";
  return {
      base::Code::no_space,
      fmt::format("block {:?} of {} has no place in any tier ({}{}); give {} with --tiers or WEIR_TIERS{}", block.name,
                  size_text({block.bytes}), there, note, has_file_ ? "the file tier more" : "a tier more memory",
                  has_file_ ? "" : ", or add a file tier")};
}

base::Status Residency::add(Block& block, const Wish& wish) {
  block.counts_holds = wish.counts_holds;
  block.charge = Arena::charged(has_file_ ? std::max(block.bytes, Arena::kPage) : block.bytes);
  if (block.home.kind == Home::Kind::program) {
    block.home.current = block.written = true;
    // The program's memory is ordinary memory: what is brought to ordinary memory is there already.
    const bool faster = tiers_.tiers()[top_].kind == TierKind::hbm;
    block.home.in_place = !faster || config_.strategy == Strategy::off;
    if (!block.home.in_place) tracked_ = true;
    set_address(block);
    return base::Status::success();
  }
  if (wish.stays) return settle_for_ever(block, wish) ? base::Status::success() : no_room(block);
  if (settle_as_wished(block, wish)) return base::Status::success();
  if (!tracked_) {
    bool placed = false;
    if (base::Status status = place_untracked(block, wish, placed); !status || placed) return status;
  }
  return find_home(block, wish);
}

// ---- Wishes ----

// Which tier, by index; -1: none but the usual one.
int Residency::wished_tier(const Wish& wish) const noexcept {
  const auto all = tiers_.tiers();
  const int top = static_cast<int>(top_), last = static_cast<int>(all.size()) - 1;
  int tier = top;
  if (wish.tier == Wish::Tier::fast) tier = 0;
  if (wish.tier == Wish::Tier::middle && last >= 1 && all[1].addressable) tier = 1;
  if (wish.tier == Wish::Tier::slow) tier = last;
  return tier == top ? -1 : tier;
}

// In the tier, for ever. What is to be slow and lies in a file has its home there, and is brought in as others are.
bool Residency::settle_as_wished(Block& block, const Wish& wish) {
  const int wished = wished_tier(wish);
  if (wished < 0) return false;
  const Tier& tier = tiers_.tiers()[static_cast<std::size_t>(wished)];
  if (!tier.addressable) {
    if (!keep_room(block, tier)) return false;
    tracked_ = true;
    return true;
  }
  if (!settle_nearest(block, tier)) return false;
  tracked_ = tracked_ || tier.copy_fraction > 0;
  return true;
}

bool Residency::settle_nearest(Block& block, const Tier& tier) {
  for (Arena* const arena : tiers_.nearest_first(tier, DomainId(block.domain)))
    if (settle_in(block, *arena)) return true;
  return false;
}

// Not more than a quarter of a memory that others are brought to, as long as there is another.
bool Residency::settle_for_ever(Block& block, const Wish& wish) {
  constexpr std::size_t kPart = 4;
  const auto all = tiers_.tiers();
  const int wished = wished_tier(wish);
  if (wished >= 0 && all[static_cast<std::size_t>(wished)].addressable &&
      settle_nearest(block, all[static_cast<std::size_t>(wished)])) {
    return true;
  }
  Arena& first = first_choice(block, wish);
  if (place(first).permanent + block.charge <= first.budget() / kPart && settle_in(block, first)) return true;
  for (const Tier& tier : all.subspan(top_ + 1))
    if (tier.addressable && settle_nearest(block, tier)) return true;
  return settle_in(block, first) || settle_nearest(block, all[top_]);
}

Arena& Residency::first_choice(const Block& block, const Wish& wish) noexcept {
  Allocation mode = config_.allocation;
  if (wish.beside_domain && mode == Allocation::fast) mode = Allocation::local_fast;
  if (wish.beside_domain && mode == Allocation::default_) mode = Allocation::local;
  Arena* const arena = tiers_.arena_for(mode, DomainId(block.domain), Bytes{block.charge});
  return arena != nullptr ? *arena : default_arena(block.domain);
}

// ---- The usual places ----

void Residency::enlist(Block& block) {
  std::vector<Block*>& list = list_of(block);
  block.listed = true;
  block.listed_index = list.size();
  list.push_back(&block);
}

void Residency::strike_off(Block& block) noexcept {
  if (!std::exchange(block.listed, false)) return;
  std::vector<Block*>& list = list_of(block);
  list[block.listed_index] = list.back();
  list[block.listed_index]->listed_index = block.listed_index;
  list.pop_back();
}

// The fast tier while it has room: tasks need do nothing about such blocks. `placed` stays false when it is full.
base::Status Residency::place_untracked(Block& block, const Wish& wish, bool& placed) {
  if (config_.strategy == Strategy::off) return base::Status::success();
  Arena* const arena = &first_choice(block, wish);
  const bool last = top_ + 1 == tiers_.tiers().size();
  bool can_leave = false;
  for (const Tier& tier : tiers_.tiers().subspan(top_ + 1)) can_leave = can_leave || keep_room(block, tier);
  if (!can_leave) {
    placed = settle_in(block, *arena) || (last && settle_nearest(block, tiers_.tiers()[top_]));
    return placed || !last ? base::Status::success() : no_room(block);
  }
  const std::uint64_t offset = arena->allocate(block.charge);
  if (offset == Arena::kNowhere) {
    release_home(block);
    return base::Status::success();
  }
  Replica* const replica = new_replica(block, *arena, offset);
  for (const auto to : {ReplicaState::filling, ReplicaState::clean, ReplicaState::dirty}) change_state(*replica, to);
  block.untracked = !block.counts_holds;
  block.written = placed = true;
  enlist(block);
  set_address(block);
  return base::Status::success();
}

// Off: as `numactl --preferred` would, the fast tier first, and what is left in the next; nothing ever moves but what
// lies in a file. Else: where the block goes back to when others need its place.
base::Status Residency::find_home(Block& block, const Wish& wish) {
  const auto all = tiers_.tiers();
  if (config_.strategy == Strategy::off) {
    Arena* const arena = &first_choice(block, wish);
    const std::size_t staging = has_file_ ? arena->budget() / kStagingPart : 0;
    if (arena->used() + block.charge + staging <= arena->budget() && settle_in(block, *arena)) {
      return base::Status::success();
    }
  }
  for (const Tier& tier : all.subspan(top_ + 1)) {
    if (!keep_room(block, tier)) continue;
    // Tasks that use slow memory in place are tracked where that has to be made slow.
    tracked_ = tracked_ || config_.strategy != Strategy::off || !tier.addressable || tier.copy_fraction > 0;
    if (config_.strategy != Strategy::off || !tier.addressable) return base::Status::success();
    release_home(block);
    for (Arena* arena : tier.arenas)
      if (settle_in(block, *arena)) return base::Status::success();
  }
  if (config_.strategy != Strategy::off && settle_in(block, default_arena(block.domain))) {
    return base::Status::success();
  }
  return no_room(block);
}

// Counts the block against the tier. A block that only a file could hold must fit in the fast tier to be used.
bool Residency::keep_room(Block& block, const Tier& tier) {
  const auto i = static_cast<std::size_t>(tier.index);
  if (homed_[i] + block.charge > tier.budget.count) return false;
  if (!tier.addressable) {
    const auto& arenas = tiers_.tiers()[top_].arenas;
    const bool fits =
        std::any_of(arenas.begin(), arenas.end(), [&](const Arena* arena) { return block.charge <= arena->budget(); });
    if (!fits) return false;
  }
  homed_[i] += block.charge;
  block.home.tier = tier.index;
  return true;
}

// Here for ever; tasks use it in place.
bool Residency::settle_in(Block& block, Arena& arena) {
  if (!make_home(block, arena)) return false;
  const Tier& tier = tiers_.tier_of(arena);
  block.home.in_place = block.home.current = true;
  block.home.tier = tier.index;
  homed_[static_cast<std::size_t>(tier.index)] += block.charge;
  place(arena).permanent += block.charge;
  set_address(block);
  return true;
}

bool Residency::make_home(Block& block, Arena& arena) noexcept {
  const std::uint64_t offset = arena.allocate(block.charge);
  if (offset == Arena::kNowhere) return false;
  block.home.kind = Home::Kind::arena;
  block.home.arena = &arena;
  block.home.backing = &arena.backing();
  block.home.range = {offset, block.charge};
  block.home.address = arena.address(offset);
  return true;
}

// The room was kept when the block was made; the disk may have filled up since.
base::Status Residency::give_home_a_place(Block& block) {
  if (block.home.kind != Home::Kind::none) return base::Status::success();
  const Tier& tier = tiers_.tiers()[static_cast<std::size_t>(block.home.tier)];
  if (tier.file != nullptr) {
    base::Result<memory::Range> range = tier.file->reserve(block.charge, block.name);
    if (!range) return range.status();
    block.home.backing = tier.file;
    block.home.range = *range;
    block.home.kind = Home::Kind::file;
    return base::Status::success();
  }
  for (Arena* const arena : tier.arenas)
    if (make_home(block, *arena)) return base::Status::success();
  return {base::Code::no_space,
          fmt::format("block {:?} of {} cannot be given a place in tier {} of {}: {}", block.name,
                      size_text({block.bytes}), tier.name, size_text(tier.budget),
                      tier.arenas.front()->failure() ? "its free memory is in pieces; give the tier more"
                                                     : tier.arenas.front()->failure().message)};
}

// A task uses the block in the file's pages, which the kernel reads, writes and takes back as it likes.
base::Status Residency::map_home(Block& block) {
  if (base::Status status = give_home_a_place(block); !status) return status;
  if (block.home.kind != Home::Kind::file || block.home.address != nullptr) return base::Status::success();
  const Tier& tier = tiers_.tiers()[static_cast<std::size_t>(block.home.tier)];
  base::Result<std::byte*> mapped = tier.file->map(block.home.range, block.name);
  if (!mapped) return mapped.status();
  block.home.address = *mapped;
  return base::Status::success();
}

void Residency::unmap_home(Block& block) noexcept {
  if (block.home.kind != Home::Kind::file || block.home_uses != 0) return;
  FileStore::unmap(std::exchange(block.home.address, nullptr), block.home.range);
}

void Residency::release_home(Block& block) noexcept {
  Home& home = block.home;
  if (home.tier >= 0) homed_[static_cast<std::size_t>(home.tier)] -= block.charge;
  if (home.kind == Home::Kind::arena) {
    if (home.in_place) place(*home.arena).permanent -= block.charge;
    home.arena->free(home.range.offset, block.charge);
  } else if (home.kind == Home::Kind::file) {
    tiers_.tiers()[static_cast<std::size_t>(home.tier)].file->free(home.range);
  }
  home = {};
}

void Residency::remove(Block& block, Steps& steps) {
  WEIR_CHECK(block.first_use == nullptr, "a block is destroyed while an unfinished task names it");
  while (block.replicas != nullptr) {
    Replica& replica = *block.replicas;
    WEIR_CHECK(replica.pins == 0, "a block is destroyed while a task uses it");
    discard(replica);
  }
  strike_off(block);
  release_home(block);
  advance(steps);
}

bool Residency::in_transfer(const Block& block) noexcept {
  for (const Replica* r = block.replicas; r != nullptr; r = r->next) {
    if (r->state == ReplicaState::filling || r->state == ReplicaState::draining) return true;
  }
  return false;
}

bool Residency::flush(Block& block, Steps& steps) {
  for (Replica* r = block.replicas; r != nullptr; r = r->next) {
    if (r->state == ReplicaState::dirty && !r->stale) return start_write_back(*r, false, steps);
  }
  return false;
}

void Residency::untracked_ended(Steps& steps) {
  for (Block* const block : untracked_blocks_) {
    block->untracked = block->listed = false;
    for (Replica* r = block->replicas; r != nullptr; r = r->next) update_candidate(*r);
  }
  untracked_blocks_.clear();
  advance(steps);
}

void Residency::tracking_begun(Steps& steps) {
  for (Block* const block : counted_) {
    block->listed = false;
    for (Replica* r = block->replicas; r != nullptr; r = r->next) update_candidate(*r);
  }
  counted_.clear();
  advance(steps);
}

bool Residency::is_held(const Block& block) noexcept {
  return block.untracked || block.holds.load(std::memory_order_seq_cst) != 0;  // HOLD-1
}

void Residency::hold_ended(Block& block, Steps& steps) {
  block.last_use = ++tick_;
  for (Replica* r = block.replicas; r != nullptr; r = r->next) update_candidate(*r);
  evict_unneeded(block, steps);
  advance(steps);
}

}  // namespace weir::data
