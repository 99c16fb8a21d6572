// SPDX-License-Identifier: Apache-2.0

#include "data/mover.hpp"

#include <algorithm>
#include <semaphore>

#include "base/check.hpp"
#include "data/block.hpp"
#include "data/copy.hpp"
#include "data/file_store.hpp"
#include "platform/clock.hpp"

namespace weir::data {

namespace {

using engine::Home;

Region program_region(const Block& block) noexcept {
  const detail::BlockLayout& l = block.layout;
  return {static_cast<std::byte*>(block.program),
          l.run_bytes,
          {l.counts[0], l.counts[1]},
          {static_cast<std::ptrdiff_t>(l.strides[0]), static_cast<std::ptrdiff_t>(l.strides[1])}};
}

}  // namespace

// Deletes itself when it has landed.
struct FlyingTransfer {
  FileTransfer file;
  Transfer* transfer;
  Landing* landing;
};

FileTransfer Mover::file_transfer(const Transfer& transfer) const {
  const Block& block = block_of(*transfer.replica->block);
  FileTransfer file;
  file.extent = {block.home.place.offset, Extents::rounded(block.charge)};
  file.memory = static_cast<std::byte*>(memory_.address(transfer.replica->place));
  file.bytes = block.bytes;
  file.write = transfer.kind == Transfer::Kind::write_back;
  file.block = block.name;
  return file;
}

Mover::Mover(TierSet& tiers, const TierMemory& memory, Strategy strategy, int workers, Landing& landing)
    : memory_(memory), landing_(landing), asynchronous_(strategy == Strategy::ahead) {
  for (const Tier& tier : tiers.tiers()) {
    if (tier.copy_fraction > 0) {
      throttle_ = std::make_unique<Throttle>(tier.copy_fraction * copy_bandwidth(static_cast<unsigned>(workers)));
    }
  }
  if (strategy == Strategy::off || strategy == Strategy::inline_) return;
  const int threads = strategy == Strategy::multi ? workers : 1;
  for (int i = 0; i < threads; ++i) {
    queues_.push_back(std::make_unique<Queue>());
    Queue& queue = *queues_.back();
    queue.thread = std::thread([this, &queue] { work(queue); });
  }
}

Mover::~Mover() {
  for (const auto& queue : queues_) {
    {
      const std::lock_guard lock(queue->mutex);
      queue->stop = true;
    }
    queue->filled.notify_one();
    queue->thread.join();
  }
}

void Mover::start(Transfer* transfers) noexcept {
  while (transfers != nullptr) {
    Transfer& transfer = *transfers;
    transfers = transfer.next;
    FileStore* const file = asynchronous_ ? file_of(transfer) : nullptr;
    if (file != nullptr) {
      fly(transfer, *file);
    } else {
      push(*queues_[static_cast<std::size_t>(transfer.lane) % queues_.size()], transfer);
    }
  }
}

void Mover::push(Queue& queue, Transfer& transfer) noexcept {
  const std::lock_guard lock(queue.mutex);
  transfer.next = nullptr;
  *queue.last = &transfer;
  queue.last = &transfer.next;
  queue.filled.notify_one();  // under the lock: after it, the transfer may have ended, and the queue be gone
}

Transfer* Mover::next(Queue& queue) noexcept {
  std::unique_lock lock(queue.mutex);
  queue.filled.wait(lock, [&] { return queue.first != nullptr || queue.stop; });
  Transfer* const transfer = queue.first;
  if (transfer == nullptr) return nullptr;
  queue.first = transfer->next;
  if (queue.first == nullptr) queue.last = &queue.first;
  return transfer;
}

void Mover::work(Queue& queue) noexcept {
  while (Transfer* const transfer = next(queue)) {
    landing_.landed(*transfer, perform(*transfer));
    landing_.has_time();
  }
}

base::Status Mover::perform(Transfer& transfer) noexcept {
  transfer.started = platform::ticks();
  FileStore* const file = file_of(transfer);
  return file != nullptr ? transfer_file(transfer, *file) : copy_memory(transfer);
}

FileStore* Mover::file_of(const Transfer& transfer) const noexcept {
  const Home& home = transfer.replica->block->home;
  return transfer.source != nullptr || home.kind != Home::Kind::file ? nullptr : memory_.file_of(home.place.node);
}

Throttle* Mover::throttle_of(const Transfer& transfer) noexcept {
  const Home& home = transfer.replica->block->home;
  if (throttle_ == nullptr || transfer.source != nullptr || home.tier == engine::TierIndex::none) return nullptr;
  return memory_.hierarchy().tier(home.tier).slowed ? throttle_.get() : nullptr;
}

base::Status Mover::copy_memory(Transfer& transfer) noexcept {
  const Block& block = block_of(*transfer.replica->block);
  const auto at = [&](engine::Place place) { return static_cast<std::byte*>(memory_.address(place)); };
  std::byte* const packed = at(transfer.replica->place);
  Throttle* const throttle = throttle_of(transfer);
  const auto done = throttle != nullptr ? throttle->reserve(block.bytes) : Throttle::Clock::time_point{};
  const bool fetch = transfer.kind == Transfer::Kind::fetch;
  if (transfer.source != nullptr) {
    copy_bytes(packed, at(transfer.source->place), block.bytes);
  } else if (block.home.kind == Home::Kind::program) {
    if (fetch)
      pack(packed, program_region(block));
    else
      unpack(program_region(block), packed);
  } else {
    WEIR_CHECK(block.home.kind == Home::Kind::memory, "a copy of memory starts or ends in memory");
    std::byte* const home = at(block.home.place);
    copy_bytes(fetch ? packed : home, fetch ? home : packed, block.bytes);
  }
  if (throttle != nullptr) Throttle::wait_until(done);
  return base::Status::success();
}

base::Status Mover::transfer_file(Transfer& transfer, FileStore& file) noexcept {
  struct Answer {
    std::binary_semaphore there{0};
    base::Status status;
  } answer;
  FileTransfer move = file_transfer(transfer);
  move.user = &answer;
  move.done = [](FileTransfer& ended, const base::Status& status) noexcept {
    auto& to = *static_cast<Answer*>(ended.user);
    to.status = status;
    to.there.release();
  };
  file.start(move);
  answer.there.acquire();
  return std::move(answer.status);
}

void Mover::fly(Transfer& transfer, FileStore& file) {
  auto* const flying = new FlyingTransfer{file_transfer(transfer), &transfer, &landing_};
  flying->file.user = flying;
  transfer.started = platform::ticks();
  flying->file.done = [](FileTransfer& ended, const base::Status& status) noexcept {
    const std::unique_ptr<FlyingTransfer> self(static_cast<FlyingTransfer*>(ended.user));
    self->landing->landed(*self->transfer, status);
  };
  file.start(flying->file);
}

void Mover::charge(std::size_t bytes) noexcept {
  if (throttle_ != nullptr && bytes != 0) throttle_->charge(bytes);
}

}  // namespace weir::data
