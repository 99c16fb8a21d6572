// SPDX-License-Identifier: Apache-2.0

#include "sim/movers.hpp"

#include <algorithm>
#include <utility>

namespace weir::sim {

using data::engine::NodeId;
using data::engine::Transfer;

namespace {

// Another replica, or the block's home.
NodeId other_end(const Transfer& transfer) {
  return transfer.other != nullptr ? transfer.other->place.node : transfer.replica->block->home.place.node;
}

NodeId from_of(const Transfer& transfer) {
  return transfer.kind == Transfer::Kind::fetch ? other_end(transfer) : transfer.replica->place.node;
}

NodeId to_of(const Transfer& transfer) {
  return transfer.kind == Transfer::Kind::fetch ? transfer.replica->place.node : other_end(transfer);
}

}  // namespace

Movers::Movers(const Target& target, const Options& options, Clock& clock, Blocks& blocks)
    : options_(options),
      workers_move_(options.strategy == Strategy::off || options.strategy == Strategy::inline_),
      clock_(clock),
      blocks_(blocks),
      copies_(target),
      movers_(options.strategy == Strategy::multi ? static_cast<std::size_t>(options.workers) : 1) {}

std::uint64_t Movers::decided(std::uint64_t waited_ns) {
  if (waited_ns == 0 && engine_until_ <= clock_.now()) return clock_.now();
  engine_until_ = std::max(engine_until_, clock_.now()) + waited_ns;
  std::uint64_t& held = landing_ != nullptr ? landing_->held_until : here_->held_until;
  return held = std::max(held, engine_until_);
}

void Movers::start(Transfer* transfers) {
  if (workers_move_) {  // what follows from a landing comes before what was to be moved behind it
    Transfer** end = &transfers;
    while (*end != nullptr) end = &(*end)->next;
    *end = std::exchange(here_->moving, nullptr);
    here_->moving = transfers;
    return;
  }
  while (transfers != nullptr) {
    Transfer& transfer = *transfers;
    transfers = std::exchange(transfer.next, nullptr);
    const bool flies = data::engine::looks_ahead(options_.strategy) &&
                       (copies_.is_file(from_of(transfer)) || copies_.is_file(to_of(transfer)));
    if (flies) {
      const std::uint64_t at = std::max(clock_.now(), engine_until_);
      clock_.land(transfer, begin(transfer, at).end(at));
      continue;
    }
    const std::size_t mover = static_cast<std::size_t>(transfer.lane) % movers_.size();
    movers_[mover].queue.push_back(&transfer);
    if (movers_[mover].does == Does::sleeps) wake(mover, std::max(clock_.now(), engine_until_) + kThreadWakeNs);
  }
}

// One that had nothing to do sleeps.
void Movers::wake(std::size_t index, std::uint64_t at) {
  Mover& mover = movers_[index];
  if (mover.first == mover.queue.size()) {
    mover.does = Does::sleeps;
    mover.queue.clear();
    mover.first = 0;
    return;
  }
  mover.does = Does::wakes;
  clock_.go_on(index, ++mover.turn, at);
}

void Movers::go_on(const Event& event, Worker& first) {
  if (event.landed != nullptr) return land(*event.landed, first);
  const auto index = static_cast<std::size_t>(event.mover);
  Mover& mover = movers_[index];
  if (event.turn != mover.turn) return;
  switch (mover.does) {
    case Does::sleeps: return;
    case Does::wakes: return begin_copy(index);
    case Does::copies: --copying_; return end_copy(index);
    case Does::ends: break;
  }
  landing_ = &mover;
  land(*mover.queue[mover.first++], first);
  landing_ = nullptr;
  wake(index, std::max(mover.held_until, clock_.now()));
}

void Movers::begin_copy(std::size_t index) {
  Mover& mover = movers_[index];
  mover.cost = begin(*mover.queue[mover.first], clock_.now());
  if (mover.cost.work_ns == 0) return end_copy(index);
  mover.does = Does::copies;
  ++copying_;
  mover.work = {clock_.now(), mover.cost.work_ns};
  copy_on(index);
}

void Movers::copy_on(std::size_t index) {
  Mover& mover = movers_[index];
  clock_.go_on(index, ++mover.turn, mover.work.end(shares_.mover));
}

void Movers::end_copy(std::size_t index) {
  Mover& mover = movers_[index];
  mover.does = Does::ends;
  clock_.go_on(index, ++mover.turn, mover.cost.end(clock_.now(), shares_.all_taken ? kCrowdedLateNs : kLateNs));
}

void Movers::set_shares(const CoreShares& shares) {
  const double before = std::exchange(shares_, shares).mover;
  if (before == shares.mover) return;
  for (std::size_t i = 0; i < movers_.size(); ++i) {
    if (movers_[i].does != Does::copies) continue;
    movers_[i].work.go_on(clock_.now(), before);
    copy_on(i);
  }
}

void Movers::go_on(Worker& worker) {
  if (!worker.copies) {
    const CopyCost cost = begin(*worker.moving, clock_.now());
    const std::uint64_t at = cost.end(clock_.now() + static_cast<std::uint64_t>(cost.work_ns));
    worker.copies = true;
    worker.time.moving += at - clock_.now();
    return clock_.go_on(worker, at);
  }
  Transfer& transfer = *worker.moving;
  worker.moving = transfer.next;
  worker.copies = false;
  land(transfer, worker);
  clock_.go_on(worker, clock_.now());
}

CopyCost Movers::begin(const Transfer& transfer, std::uint64_t at) {
  return copies_.begin(at, from_of(transfer), to_of(transfer), transfer.replica->block->size);
}

void Movers::land(Transfer& transfer, Worker& worker) {
  copies_.end(from_of(transfer), to_of(transfer), transfer.replica->block->size);
  act_for(worker);
  blocks_.land(transfer);
  if (!workers_move_) blocks_.prepare_growth();
}

}  // namespace weir::sim
