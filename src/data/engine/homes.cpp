// SPDX-License-Identifier: Apache-2.0

#include "data/engine/homes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/engine/charge.hpp"
#include "data/policy/chain.hpp"
#include "memory/tier_spec.hpp"

namespace weir::data::engine {

using memory::size_text;

namespace {

// Pinned blocks take no more of a memory that others are brought to, as long as there is another.
constexpr std::size_t kPinnedPart = 4;

TierIndex next(TierIndex tier) noexcept { return static_cast<TierIndex>(index_of(tier) + 1); }

// With why a tier has less than was asked for, if the system has refused more.
std::string state_text(const Ledger& ledger, TierIndex tier) {
  const TierShape& shape = ledger.hierarchy().tier(tier);
  std::size_t budget = 0;
  std::string why;
  for (const NodeId node : shape.nodes) {
    budget += ledger.budget(node);
    if (const base::Status refused = ledger.refusal(node); !refused) why += "; " + refused.message;
  }
  return fmt::format("{} {} with {} taken{}", shape.name, size_text({why.empty() ? shape.budget : budget}),
                     size_text({ledger.homes(tier)}), why);
}

// For a block that has no place. `usual`: the tier that tasks use blocks of a file in.
std::string remedy_for(const Block& block, const Ledger& ledger, const TierShape& usual) {
  const bool has_file = ledger.hierarchy().has_file();
  const auto fits = [&](NodeId node) { return block.charge <= ledger.budget(node); };
  if (has_file && std::none_of(usual.nodes.begin(), usual.nodes.end(), fits)) {
    return fmt::format(
        "tasks use it in memory: give {} at least {}{} with --tiers or WEIR_TIERS, or make smaller blocks of it "
        "(weir::Array)",
        usual.name, size_text({block.charge}), usual.nodes.size() > 1 ? " on one of its nodes" : "");
  }
  if (has_file) return "give the file tier more with --tiers or WEIR_TIERS";
  for (const NodeId node : usual.nodes)
    if (!ledger.refusal(node)) return "have others leave memory to it, or add a file tier with --tiers or WEIR_TIERS";
  return "give a tier more memory with --tiers or WEIR_TIERS, or add a file tier";
}

}  // namespace

base::Status Homes::no_room(const Block& block) const {
  std::string there;
  for (TierIndex t = core_.usual; index_of(t) < tier_count(); t = next(t)) {
    if (!there.empty()) there += ", ";
    there += state_text(ledger_, t);
  }
  if (core_.hierarchy().has_file()) {
    there += "; what is brought to a faster tier keeps its place in the file, so that sizes do not add up";
    if (block.size < kPageBytes)
      there += fmt::format("; where there is a file tier a block takes whole pages of {}", size_text({kPageBytes}));
  }
  return {base::Code::no_space,
          fmt::format("block {:?} of {} has no place in any tier ({}); {}", block.name, size_text({block.size}), there,
                      remedy_for(block, ledger_, core_.usual_tier()))};
}

base::Status Homes::add(Block& block, const PlacementHint& hint) {
  block.counts_holds = hint.counts_holds;
  block.charge = charge_of(core_.hierarchy().has_file() ? std::max(block.size, kPageBytes) : block.size);
  if (block.home.kind == Home::Kind::program) {
    add_adopted(block);
    return base::Status::success();
  }
  if (hint.pinned) return settle_for_ever(block, hint) ? base::Status::success() : no_room(block);
  if (settle_as_hinted(block, hint)) return base::Status::success();
  if (!core_.tracked) {
    base::Status failure;
    if (place_untracked(block, hint, failure) || !failure) return failure;
  }
  return find_home(block, hint);
}

// The program's memory is ordinary memory: what is brought to ordinary memory is there already.
void Homes::add_adopted(Block& block) {
  block.home.current = block.written = true;
  block.home.in_place = !core_.usual_tier().on_package || core_.nothing_moves();
  if (!block.home.in_place) core_.tracked = true;
  core_.replicas.note_place(block);
}

// ---- By hint ----

// None: no other than the usual one.
TierIndex Homes::hinted_tier(const PlacementHint& hint) const noexcept {
  TierIndex tier = core_.usual;
  if (hint.tier == PlacementHint::Tier::fast) tier = TierIndex{0};
  if (hint.tier == PlacementHint::Tier::middle && tier_count() > 1 && core_.hierarchy().tiers[1].addressable)
    tier = TierIndex{1};
  if (hint.tier == PlacementHint::Tier::slow) tier = last_tier();
  return tier == core_.usual ? TierIndex::none : tier;
}

// In the tier, for ever. What is to be slow and lies in a file has its home there, and is brought in as others are.
bool Homes::settle_as_hinted(Block& block, const PlacementHint& hint) {
  const TierIndex hinted = hinted_tier(hint);
  if (hinted == TierIndex::none) return false;
  const TierShape& tier = core_.hierarchy().tier(hinted);
  if (!tier.addressable) {
    if (!keep_room(block, hinted, HomePart::all)) return false;
    core_.tracked = true;
    return true;
  }
  if (!settle_nearest(block, hinted)) return false;
  core_.tracked = core_.tracked || tier.slowed;
  return true;
}

bool Homes::settle_nearest(Block& block, TierIndex tier) {
  for (const NodeId node : core_.hierarchy().nearest_first(tier, block.domain))
    if (settle_in(block, node)) return true;
  return false;
}

bool Homes::settle_for_ever(Block& block, const PlacementHint& hint) {
  const Hierarchy& hierarchy = core_.hierarchy();
  const TierIndex hinted = hinted_tier(hint);
  if (hinted != TierIndex::none && hierarchy.tier(hinted).addressable && settle_nearest(block, hinted)) return true;
  const NodeId first = first_choice(block, hint);
  if (ledger_.permanent(first) + block.charge <= ledger_.budget(first) / kPinnedPart && settle_in(block, first))
    return true;
  for (TierIndex t = next(core_.usual); index_of(t) < tier_count(); t = next(t))
    if (hierarchy.tier(t).addressable && settle_nearest(block, t)) return true;
  return settle_in(block, first) || settle_nearest(block, core_.usual);
}

NodeId Homes::first_choice(const Block& block, const PlacementHint& hint) noexcept {
  Allocation mode = core_.config.allocation;
  if (hint.near_domain && mode == Allocation::fast) mode = Allocation::local_fast;
  if (hint.near_domain && mode == Allocation::default_) mode = Allocation::local;
  return nodes_.choose(mode, block.domain);
}

// ---- The usual places ----

// The fast tier while it has room: tasks need do nothing about such blocks. False: it is full, or `failure` says why
// the block cannot be.
bool Homes::place_untracked(Block& block, const PlacementHint& hint, base::Status& failure) {
  if (core_.nothing_moves()) return false;
  const NodeId node = first_choice(block, hint);
  bool can_leave = false;
  for (const HomePart part : {HomePart::usual, HomePart::all})
    for (TierIndex t = next(core_.usual); !can_leave && index_of(t) < tier_count(); t = next(t))
      can_leave = keep_room(block, t, part);
  if (!can_leave) return settle_without_replica(block, node, failure);
  const std::optional<Place> place = ledger_.take(node, block.charge, block.name);
  if (!place) {
    release(block);
    return false;
  }
  Replica& replica = core_.replicas.make(block, *place);
  change_state(replica, ReplicaState::clean);
  change_state(replica, ReplicaState::dirty);
  block.written = true;
  enlist(block, block.counts_holds ? Tracking::counted : Tracking::untracked);
  return true;
}

// There is nowhere that it could leave to.
bool Homes::settle_without_replica(Block& block, NodeId node, base::Status& failure) {
  const bool last = core_.usual == last_tier();
  if (settle_in(block, node) || (last && settle_nearest(block, core_.usual))) return true;
  if (last) failure = no_room(block);
  return false;
}

// Off: as `numactl --preferred` would, the fast tier first, and what is left in the next; nothing ever moves but what
// lies in a file. Else: where the block goes back to when others need its place.
base::Status Homes::find_home(Block& block, const PlacementHint& hint) {
  if (core_.nothing_moves() && settle_first(block, hint)) return base::Status::success();
  for (const HomePart part : {HomePart::usual, HomePart::all})
    for (TierIndex t = next(core_.usual); index_of(t) < tier_count(); t = next(t))
      if (keep_room(block, t, part) && settle_behind(block, t)) return base::Status::success();
  if (!core_.nothing_moves() && settle_in(block, nodes_.choose(Allocation::default_, block.domain)))
    return base::Status::success();
  return no_room(block);
}

// In the tier that room was kept in: it moves, or it stays there.
bool Homes::settle_behind(Block& block, TierIndex at) {
  const TierShape& tier = core_.hierarchy().tier(at);
  const bool moves = !core_.nothing_moves() || !tier.addressable;
  // Tasks that use slow memory in place are tracked where that has to be made slow.
  core_.tracked = core_.tracked || moves || tier.slowed;
  if (moves) return true;
  release(block);
  return std::any_of(tier.nodes.begin(), tier.nodes.end(), [&](NodeId node) { return settle_in(block, node); });
}

bool Homes::settle_first(Block& block, const PlacementHint& hint) {
  const NodeId node = first_choice(block, hint);
  const std::size_t budget = ledger_.budget(node);
  const std::size_t staging = core_.hierarchy().has_file() ? budget / kStagingPart : 0;
  return ledger_.used(node) + block.charge + staging <= budget && settle_in(block, node);
}

// ---- Steps ----

// A block that only a file could hold must fit in the usual tier to be used.
bool Homes::can_be_used_from(const Block& block, TierIndex tier) const noexcept {
  if (core_.hierarchy().tier(tier).addressable) return true;
  const auto& usual = core_.usual_tier().nodes;
  const auto fits = [&](NodeId node) { return block.charge <= ledger_.budget(node); };
  return std::any_of(usual.begin(), usual.end(), fits);
}

// Counts the block against a node of the tier.
bool Homes::keep_room(Block& block, TierIndex tier, HomePart part) {
  if (!can_be_used_from(block, tier)) return false;
  for (const NodeId node : core_.hierarchy().tier(tier).nodes) {
    if (!may_be_home(block, node, part) || !ledger_.try_promise(node, block.charge)) continue;
    block.home.tier = tier;
    block.home.place.node = node;
    if (!core_.chain) return true;
    if (settles_between(block)) {
      begin_caching_before(tier);
      return true;
    }
    ledger_.withdraw_promise(node, block.charge);
    block.home = {};
  }
  return false;
}

// In a chain, of a tier with blocks that live behind it homes leave a part to these.
bool Homes::may_be_home(const Block& block, NodeId node, HomePart part) const noexcept {
  if (part == HomePart::all || !caches_[index_of(core_.hierarchy().tier_of(node))]) return true;
  return ledger_.homes(node) + block.charge <= part_of_homes(node);
}

// ---- Of tiers before a block's home ----

std::size_t Homes::part_of_homes(NodeId node) const noexcept {
  const std::size_t budget = ledger_.budget(node);
  return budget - budget / policy::kCachePart;
}

// Where the tier caches, its home takes its place at once: copies cannot stand in its way then. Where it does not, it
// may come to that.
bool Homes::settles_between(Block& block) {
  const TierIndex tier = block.home.tier;
  if (!core_.hierarchy().tier(tier).addressable) return true;
  if (tier == last_tier() || caches_[index_of(tier)]) return take_place(block);
  block.between_index = static_cast<std::uint32_t>(between_.size());
  between_.push_back(&block);
  return true;
}

void Homes::forget_between(Block& block) noexcept {
  if (block.between_index == Block::kNotBetween) return;
  between_[block.between_index] = between_.back();
  between_[block.between_index]->between_index = block.between_index;
  between_.pop_back();
  block.between_index = Block::kNotBetween;
}

// The first block lives in `tier`, since those before it are full: from now on they hold copies, too, and what was made
// last lives there as well. Until then nothing would be gained by that, and what they hold is used there.
void Homes::begin_caching_before(TierIndex tier) {
  bool begins = false;
  for (TierIndex t = next(core_.usual); t < tier && !core_.nothing_moves(); t = next(t)) {
    if (!core_.hierarchy().tier(t).addressable || caches_[index_of(t)]) continue;
    caches_[index_of(t)] = begins = true;
  }
  if (!begins) return;
  std::vector<Block*> between = std::exchange(between_, {});
  for (Block* const block : between) block->between_index = Block::kNotBetween;
  for (auto at = between.rbegin(); at != between.rend(); ++at) {
    Block& block = **at;
    const NodeId node = block.home.place.node;
    if (caches_[index_of(block.home.tier)] && ledger_.homes(node) > part_of_homes(node) && move_home_behind(block))
      *at = nullptr;
  }
  for (Block* const block : between) {
    if (block == nullptr || (caches_[index_of(block->home.tier)] && block->home.kind != Home::Kind::none)) continue;
    if (!settles_between(*block)) move_home_behind(*block);
  }
}

// Nothing is copied: what the home holds is a replica from then on, newer than the home. A block that tasks use there,
// or that is on its way, stays.
bool Homes::move_home_behind(Block& block) {
  const Home was = block.home;
  if (block.is_used_at_home() || block.in_transfer()) return false;
  if (was.current && (block.replicas != nullptr || block.is_held())) return false;
  block.home = {};
  bool kept = false;
  for (TierIndex t = next(was.tier); !kept && index_of(t) < tier_count(); t = next(t))
    kept = keep_room(block, t, HomePart::usual);
  if (!kept) {
    block.home = was;
    return false;
  }
  if (was.kind == Home::Kind::none) {
    ledger_.withdraw_promise(was.place.node, block.charge);
    return true;
  }
  ledger_.remove_home(was.place.node, block.charge);
  if (!was.current) {
    ledger_.give_back(was.place, block.charge);
    return true;
  }
  Replica& replica = core_.replicas.make(block, was.place);
  change_state(replica, ReplicaState::clean);
  change_state(replica, ReplicaState::dirty);
  core_.replicas.update(replica);
  return true;
}

// Here for ever; tasks use it in place.
bool Homes::settle_in(Block& block, NodeId node) {
  const std::optional<Place> place = ledger_.take(node, block.charge, block.name);
  if (!place) return false;
  block.home = {Home::Kind::memory, true, true, core_.hierarchy().tier_of(node), *place};
  ledger_.add_permanent(node, block.charge);
  core_.replicas.note_place(block);
  return true;
}

base::Status Homes::give_place(Block& block) {
  if (block.home.kind != Home::Kind::none || take_place(block) || take_place_elsewhere(block))
    return base::Status::success();
  const TierShape& tier = core_.hierarchy().tier(block.home.tier);
  base::Status why = ledger_.refusal(block.home.place.node);
  if (!tier.addressable) return why;
  return {base::Code::no_space,
          fmt::format("block {:?} of {} cannot be given a place in tier {} of {}: {}", block.name,
                      size_text({block.size}), tier.name, size_text({tier.budget}),
                      why ? "its free memory is in pieces; give the tier more" : why.message.c_str())};
}

// Of the room that it was promised. False: that is in pieces, or the system has none.
bool Homes::take_place(Block& block) {
  const NodeId node = block.home.place.node;
  std::optional<Place> place = ledger_.take(node, block.charge, block.name);
  while (!place && core_.chain && drop_cached(node)) place = ledger_.take(node, block.charge, block.name);
  if (!place) return false;
  ledger_.place_home(node, block.charge);
  block.home.place = *place;
  block.home.kind = core_.hierarchy().tier(block.home.tier).addressable ? Home::Kind::memory : Home::Kind::file;
  return true;
}

// What is free of the node that it was promised is in pieces: on another one of the tier, or in a tier behind it.
bool Homes::take_place_elsewhere(Block& block) {
  const Home promised = block.home;
  for (TierIndex t = promised.tier; index_of(t) < tier_count(); t = next(t)) {
    if (!can_be_used_from(block, t)) continue;
    for (const NodeId node : core_.hierarchy().tier(t).nodes) {
      if (node == promised.place.node || !ledger_.try_promise(node, block.charge)) continue;
      block.home.tier = t;
      block.home.place.node = node;
      if (take_place(block)) {
        ledger_.withdraw_promise(promised.place.node, block.charge);
        forget_between(block);
        return true;
      }
      ledger_.withdraw_promise(node, block.charge);
    }
  }
  block.home = promised;
  return false;
}

// Copies of other blocks, whose room is in pieces between homes: one that can go at no cost.
bool Homes::drop_cached(NodeId node) noexcept {
  for (Replica* const r : core_.replicas.leaving_order(node)) {
    if (r->state != ReplicaState::clean) continue;
    core_.replicas.discard(*r);
    return true;
  }
  return false;
}

void Homes::release(Block& block) noexcept {
  forget_between(block);
  const Home& home = block.home;
  const NodeId node = home.place.node;
  if (home.kind == Home::Kind::memory || home.kind == Home::Kind::file) {
    if (home.in_place)
      ledger_.remove_permanent(node, block.charge);
    else
      ledger_.remove_home(node, block.charge);
    ledger_.give_back(home.place, block.charge);
  } else if (home.tier != TierIndex::none) {
    ledger_.withdraw_promise(node, block.charge);
  }
  block.home = {};
}

void Homes::remove(Block& block) noexcept {
  remove_from_list(block);
  core_.replicas.forget_relocated(block);
  release(block);
}

// ---- Blocks made before tasks were tracked ----

void Homes::enlist(Block& block, Tracking tracking) {
  block.tracking = tracking;
  std::vector<Block*>& list = list_of(block);
  block.listed_index = list.size();
  list.push_back(&block);
}

void Homes::remove_from_list(Block& block) noexcept {
  if (block.tracking == Tracking::requests) return;
  std::vector<Block*>& list = list_of(block);
  list[block.listed_index] = list.back();
  list[block.listed_index]->listed_index = block.listed_index;
  list.pop_back();
  block.tracking = Tracking::requests;
}

void Homes::end_list(std::vector<Block*>& list) noexcept {
  for (Block* const block : std::exchange(list, {})) {
    block->tracking = Tracking::requests;
    core_.replicas.update_all(*block);
  }
}

}  // namespace weir::data::engine
