// SPDX-License-Identifier: Apache-2.0

#include "data/engine/worth.hpp"

#include <algorithm>

#include "memory/growth.hpp"

namespace weir::data::engine {

namespace {

// Of a transfer, whatever its size: deciding, two events, and waking who waits for it.
constexpr double kTransferSeconds = 20e-6;
// So many uses of a block are looked at.
constexpr std::uint32_t kMostUses = 16;
// What was used longer ago than this many bytes counts less and less.
constexpr double kLately = 1e9;

machine::Traffic traffic_of(std::size_t bytes, Mode mode) noexcept {
  machine::Traffic traffic;
  if (mode != Mode::out) traffic.read = bytes;
  if (writes(mode)) traffic.written = bytes;
  return traffic;
}

}  // namespace

NodeId Worth::node_without_replica(const Block& block) const noexcept {
  for (const Replica* r = block.replicas; r != nullptr; r = r->next)
    if (!r->stale) return r->place.node;
  return block.home.place.node;
}

// Emulated memory takes the time of one reading for each use, whatever the use, before the task runs.
double Worth::seconds_in_place(const Block& block, NodeId node, Mode mode, DomainId domain) const noexcept {
  if (core_.hierarchy().tier_at(node).slowed) return costs_->busy_seconds(index_of(node), domain, {block.size, 0});
  return costs_->in_place_seconds(index_of(node), domain, traffic_of(block.size, mode), core_.config.workers - 1);
}

// Those before the next use of what leaves for it: that has to be in its place again by then.
void Worth::count_uses(const Use& use, const Target& target, policy::Move& move) const noexcept {
  policy::Sequence until = policy::kNever;
  if (core_.ledger.free(target.node) < use.block->charge) {
    const Replicas::LeavingOrder& order = core_.replicas.leaving_order(target.node);
    until = order.empty() ? use.request->sequence : (*order.begin())->key.next_use;
    move.displaces = until != policy::kNever;
    const bool takes_memory =
        !order.empty() && (*order.begin())->key.dirty && (*order.begin())->block->home.kind == Home::Kind::none;
    // A core that no worker needs clears it, as it makes copies.
    if (takes_memory && !core_.config.cores_to_spare)
      move.new_memory = static_cast<double>(use.block->charge) * memory::kClearNs * 1e-9;
  }
  move.uses = 1;
  for (const Use* u = use.after; u != nullptr && move.uses < kMostUses && u->request->sequence < until; u = u->after) {
    ++move.uses;
    if (writes(u->mode)) move.write_back = 1;
  }
}

// Of emulated memory a thread copies as fast as of ordinary memory, and then sleeps until its turn.
policy::Copy Worth::copy_of(const Use& use, NodeId fast, NodeId slow, Way way) const noexcept {
  const std::size_t near = index_of(fast), far = index_of(slow), bytes = use.block->size;
  const bool fetch = way == Way::fetch;
  const std::size_t from = fetch ? far : near, to = fetch ? near : far;
  // The other workers use both memories while it is copied.
  const machine::OtherStreams others{core_.config.workers - 1, core_.config.workers - 1};
  policy::Copy copy;
  const bool emulated = core_.hierarchy().tier_at(slow).slowed;
  copy.work = kTransferSeconds +
              (emulated ? costs_->copy_seconds(near, near, bytes) : costs_->copy_seconds(from, to, bytes, others));
  copy.busy = costs_->busy_seconds(far, use.request->domain, {fetch ? bytes : 0, fetch ? 0 : bytes});
  copy.under_way = core_.load.under_way;
  copy.workers = core_.config.workers;
  copy.spare_core = core_.config.cores_to_spare;
  return copy;
}

policy::Move Worth::move_of(const Use& use, const Target& target, NodeId here) const noexcept {
  const Block& block = *use.block;
  const DomainId domain = use.request->domain;
  policy::Move move;
  move.in_place = seconds_in_place(block, here, use.mode, domain);
  if (!core_.hierarchy().tier_at(here).slowed) move.in_place -= seconds_in_place(block, target.node, use.mode, domain);
  if (writes(use.mode)) move.write_back = 1;
  count_uses(use, target, move);
  if (block.written && !use.fresh) move.fetch = policy::cost_of(copy_of(use, target.node, here, Way::fetch));
  if (move.write_back != 0) move.write_back = policy::cost_of(copy_of(use, target.node, here, Way::write_back));
  return move;
}

bool Worth::moving_pays_slow(const Use& use, const Target& target, When when) noexcept {
  const NodeId here = node_without_replica(*use.block);
  if (here == NodeId::none || !core_.hierarchy().tier_at(here).addressable) return true;
  const policy::Move move = move_of(use, target, here);
  const double gain = policy::gain(move);
  if (!policy::pays(move, forgone_)) {
    if (when == When::now && gain > 0) forgone_ += gain / move.uses;  // what comes after is asked for again
    return false;
  }
  forgone_ -= std::min(forgone_, std::max(0.0, move.new_memory - gain));
  if (core_.hierarchy().tier_at(here).slowed) return true;
  const double share = costs_->slow_share(index_of(target.node), index_of(here), use.request->domain);
  return !policy::leaves_share({slow_bytes_, all_bytes_, share}, use.block->size);
}

void Worth::note_use_slow(const Request& request) noexcept {
  for (const Use& use : request.uses()) {
    const auto bytes = static_cast<double>(use.block->size);
    const NodeId node = use.at_home ? use.block->home.place.node : use.replica->place.node;
    const bool slow = node != NodeId::none && core_.hierarchy().tier_of(node) > core_.usual;
    all_bytes_ += bytes;
    if (slow) slow_bytes_ += bytes;
  }
  if (all_bytes_ < kLately) return;
  all_bytes_ /= 2;
  slow_bytes_ /= 2;
}

}  // namespace weir::data::engine
