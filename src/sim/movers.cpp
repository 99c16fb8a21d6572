// SPDX-License-Identifier: Apache-2.0

#include "sim/movers.hpp"

#include <algorithm>
#include <utility>

namespace weir::sim {

using data::engine::NodeId;
using data::engine::Transfer;

namespace {

constexpr std::uint64_t kMoverWakeNs = 50'000;

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
      clock_.land(transfer, movers_.size(), begin(transfer, std::max(clock_.now(), engine_until_)));
      continue;
    }
    const std::size_t mover = static_cast<std::size_t>(transfer.lane) % movers_.size();
    movers_[mover].queue.push_back(&transfer);
    if (!movers_[mover].busy) start_next(mover, std::max(clock_.now(), engine_until_) - clock_.now() + kMoverWakeNs);
  }
}

// A mover that had nothing to do sleeps.
void Movers::start_next(std::size_t index, std::uint64_t after_ns) {
  Mover& mover = movers_[index];
  mover.busy = mover.first != mover.queue.size();
  if (!mover.busy) {
    mover.queue.clear();
    mover.first = 0;
    return;
  }
  Transfer& transfer = *mover.queue[mover.first++];
  clock_.land(transfer, index, begin(transfer, clock_.now() + after_ns));
}

void Movers::landed(const Event& event, Worker& first) {
  Mover* const mover = event.mover < movers_.size() ? &movers_[event.mover] : nullptr;
  landing_ = mover;
  land(*event.landed, first);
  landing_ = nullptr;
  if (mover != nullptr) start_next(event.mover, std::max(mover->held_until, clock_.now()) - clock_.now());
}

void Movers::go_on(Worker& worker) {
  if (!worker.copies) {
    const std::uint64_t at = begin(*worker.moving, clock_.now());
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

std::uint64_t Movers::begin(const Transfer& transfer, std::uint64_t at) {
  return copies_.begin(at, from_of(transfer), to_of(transfer), transfer.replica->block->size);
}

void Movers::land(Transfer& transfer, Worker& worker) {
  copies_.end(from_of(transfer), to_of(transfer), transfer.replica->block->size);
  act_for(worker);
  blocks_.land(transfer);
}

}  // namespace weir::sim
