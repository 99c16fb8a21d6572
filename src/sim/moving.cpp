// SPDX-License-Identifier: Apache-2.0

// Who moves blocks in a simulation: the worker itself (off, inline), one mover, or one for each worker.
#include <utility>

#include "sim/simulator.hpp"

namespace weir::sim {

using data::engine::NodeId;
using data::engine::Transfer;

namespace {

constexpr std::uint64_t kMoverWakeNs = 50'000;

// Another replica, or the block's home.
NodeId other_end(const Transfer& transfer) {
  return transfer.other != nullptr ? transfer.other->place.node : transfer.replica->block->home.place.node;
}

}  // namespace

NodeId Simulator::from_of(const Transfer& transfer) const {
  return transfer.kind == Transfer::Kind::fetch ? other_end(transfer) : transfer.replica->place.node;
}

NodeId Simulator::to_of(const Transfer& transfer) const {
  return transfer.kind == Transfer::Kind::fetch ? transfer.replica->place.node : other_end(transfer);
}

void Simulator::start(Transfer* transfers) {
  if (moves_here_) {  // what follows from a landing comes before what was to be moved behind it
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
      const std::uint64_t at = copies_.begin(now_, from_of(transfer), to_of(transfer), transfer.replica->block->size);
      events_.add({at, 0, -1, 0, &transfer, movers_.size()});
      continue;
    }
    const std::size_t mover = static_cast<std::size_t>(transfer.lane) % movers_.size();
    movers_[mover].queue.push_back(&transfer);
    if (!movers_[mover].busy) start_next(mover, kMoverWakeNs);
  }
}

// A mover that had nothing to do sleeps.
void Simulator::start_next(std::size_t index, std::uint64_t after_ns) {
  Mover& mover = movers_[index];
  mover.busy = mover.first != mover.queue.size();
  if (!mover.busy) {
    mover.queue.clear();
    mover.first = 0;
    return;
  }
  Transfer& transfer = *mover.queue[mover.first++];
  const std::uint64_t start = now_ + after_ns;
  const std::uint64_t at = copies_.begin(start, from_of(transfer), to_of(transfer), transfer.replica->block->size);
  events_.add({at, 0, -1, 0, &transfer, index});
}

void Simulator::landed(const Event& event) {
  Transfer& transfer = *event.landed;
  copies_.end(from_of(transfer), to_of(transfer), transfer.replica->block->size);
  here_ = workers_.front().get();
  blocks_->land(transfer);
  if (event.mover < movers_.size()) start_next(event.mover, 0);
}

// ---- By the worker itself ----

void Simulator::move_next(Worker& worker) {
  if (!worker.copies) {
    const Transfer& transfer = *worker.moving;
    const std::uint64_t at = copies_.begin(now_, from_of(transfer), to_of(transfer), transfer.replica->block->size);
    worker.copies = true;
    worker.time.moving += at - now_;
    return go_on(worker, at);
  }
  moved(worker);
  go_on(worker, now_);
}

void Simulator::moved(Worker& worker) {
  Transfer& transfer = *worker.moving;
  worker.moving = transfer.next;
  worker.copies = false;
  copies_.end(from_of(transfer), to_of(transfer), transfer.replica->block->size);
  here_ = &worker;
  blocks_->land(transfer);
}

// To the queue of the domain whose worker asked.
void Simulator::staged(Node& node) {
  const int wanted = program_.tasks[node.task].domain;
  const bool named = wanted >= 0 && wanted < static_cast<int>(domains_.size());
  push_to_domain(node, named ? wanted : workers_[static_cast<std::size_t>(node.request->lane)]->domain);
}

}  // namespace weir::sim
