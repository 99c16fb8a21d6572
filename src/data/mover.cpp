// SPDX-License-Identifier: Apache-2.0

#include "data/mover.hpp"

#include "base/mutex.hpp"
#include "data/block.hpp"
#include "data/engine/config.hpp"
#include "platform/clock.hpp"
#include "platform/start_thread.hpp"

namespace weir::data {

using memory::Copy;
using memory::CopyEnd;

namespace {

CopyEnd program_end(const Block& block) noexcept {
  const detail::BlockLayout& l = block.layout;
  return CopyEnd::program({static_cast<std::byte*>(block.program),
                           l.run_bytes,
                           {l.counts[0], l.counts[1]},
                           {static_cast<std::ptrdiff_t>(l.strides[0]), static_cast<std::ptrdiff_t>(l.strides[1])}});
}

// Deletes itself when it has landed.
struct FlyingTransfer {
  Copy copy;
  Transfer* transfer;
  Landing* landing;
};

}  // namespace

Copy Mover::copy_of(const Transfer& transfer) const noexcept {
  const engine::Replica& replica = *transfer.replica;
  const Block& block = block_of(*replica.block);
  const CopyEnd here = memory_.end(replica.place);
  const bool adopted = transfer.other == nullptr && block.home.kind == engine::Home::Kind::program;
  const CopyEnd there =
      adopted ? program_end(block) : memory_.end(transfer.other != nullptr ? transfer.other->place : block.home.place);
  const bool fetches = transfer.kind == Transfer::Kind::fetch;
  return {.from = fetches ? there : here, .to = fetches ? here : there, .bytes = block.bytes, .block = block.name};
}

Mover::Mover(memory::CopyEngines& engines, const TierMemory& memory, Strategy strategy, int workers, Landing& landing)
    : engines_(engines), memory_(memory), landing_(landing), asynchronous_(engine::looks_ahead(strategy)) {
  if (strategy == Strategy::off || strategy == Strategy::inline_) return;
  const int threads = strategy == Strategy::multi ? workers : 1;
  try {
    for (int i = 0; i < threads; ++i) {
      queues_.push_back(std::make_unique<Queue>());
      Queue& queue = *queues_.back();
      queue.thread = platform::start_thread("weir mover", [this, &queue] { work(queue); });
    }
  } catch (...) {
    stop();
    throw;
  }
}

Mover::~Mover() { stop(); }

void Mover::stop() noexcept {
  for (const auto& queue : queues_) {
    {
      const base::Lock lock(queue->mutex);
      queue->stop = true;
    }
    queue->filled.notify_one();
    if (queue->thread.joinable()) queue->thread.join();
  }
}

void Mover::start(Transfer* transfers) noexcept {
  while (transfers != nullptr) {
    Transfer& transfer = *transfers;
    transfers = transfer.next;
    const Copy copy = copy_of(transfer);
    memory::CopyEngine& engine = engines_.find(copy.from, copy.to);
    if (asynchronous_ && engine.has_start()) {
      fly(transfer, copy, engine);
    } else {
      push(*queues_[static_cast<std::size_t>(transfer.lane) % queues_.size()], transfer);
    }
  }
}

void Mover::push(Queue& queue, Transfer& transfer) noexcept {
  const base::Lock lock(queue.mutex);
  transfer.next = nullptr;
  *queue.last = &transfer;
  queue.last = &transfer.next;
  queue.filled.notify_one();  // under the lock: after it, the transfer may have ended, and the queue be gone
}

Transfer* Mover::next(Queue& queue) noexcept {
  base::Lock lock(queue.mutex);
  while (queue.first == nullptr && !queue.stop) lock.wait(queue.filled);
  Transfer* const transfer = queue.first;
  if (transfer == nullptr) return nullptr;
  queue.first = transfer->next;
  if (queue.first == nullptr) queue.last = &queue.first;
  return transfer;
}

void Mover::work(Queue& queue) noexcept {
  while (Transfer* const transfer = next(queue)) landing_.landed(*transfer, perform(*transfer));
}

base::Status Mover::perform(Transfer& transfer) noexcept {
  transfer.started = platform::ticks();
  Copy copy = copy_of(transfer);
  return engines_.find(copy.from, copy.to).perform(copy);
}

void Mover::fly(Transfer& transfer, const Copy& copy, memory::CopyEngine& engine) {
  auto* const flying = new FlyingTransfer{copy, &transfer, &landing_};
  transfer.started = platform::ticks();
  flying->copy.user = flying;
  flying->copy.done = [](Copy& ended, const base::Status& status) noexcept {
    const std::unique_ptr<FlyingTransfer> self(static_cast<FlyingTransfer*>(ended.user));
    self->landing->landed(*self->transfer, status);
  };
  engine.start(flying->copy);
}

}  // namespace weir::data
