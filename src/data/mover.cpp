// SPDX-License-Identifier: Apache-2.0

#include "data/mover.hpp"

#include <algorithm>
#include <semaphore>

#include "base/check.hpp"
#include "data/block.hpp"
#include "memory/copy.hpp"
#include "platform/clock.hpp"

namespace weir::data {

using memory::FileTransfer;
using memory::Region;
using memory::Throttle;

namespace {

Region program_region(const Block& block) noexcept {
  const detail::BlockLayout& l = block.layout;
  return {static_cast<std::byte*>(block.home.address),
          l.run_bytes,
          {l.counts[0], l.counts[1]},
          {static_cast<std::ptrdiff_t>(l.strides[0]), static_cast<std::ptrdiff_t>(l.strides[1])}};
}

FileTransfer file_transfer(const Transfer& transfer) {
  const Block& block = *transfer.replica->block;
  FileTransfer file;
  file.range = block.home.extent;
  file.memory = static_cast<std::byte*>(transfer.replica->address);
  file.bytes = block.bytes;
  file.write = transfer.kind == Transfer::Kind::write_back;
  file.block = block.name;
  return file;
}

}  // namespace

// Deletes itself when it has landed.
struct FlyingTransfer {
  FileTransfer file;
  Transfer* transfer;
  Landing* landing;
};

Mover::Mover(TierSet& tiers, Strategy strategy, int workers, Landing& landing)
    : tiers_(tiers), landing_(landing), asynchronous_(strategy == Strategy::ahead) {
  for (const Tier& tier : tiers.tiers()) {
    if (tier.copy_fraction > 0) {
      throttle_ =
          std::make_unique<Throttle>(tier.copy_fraction * memory::copy_bandwidth(static_cast<unsigned>(workers)));
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
    const Tier* const tier = asynchronous_ ? file_tier(transfer) : nullptr;
    if (tier != nullptr) {
      fly(transfer, *tier->file);
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
  const Tier* const tier = file_tier(transfer);
  return tier != nullptr ? transfer_file(transfer, *tier->file) : copy_memory(transfer);
}

const Tier* Mover::file_tier(const Transfer& transfer) const noexcept {
  const Home& home = transfer.replica->block->home;
  if (transfer.source != nullptr || home.kind != Home::Kind::file) return nullptr;
  return &tiers_.tiers()[static_cast<std::size_t>(home.tier)];
}

Throttle* Mover::throttle_of(const Transfer& transfer) noexcept {
  const Home& home = transfer.replica->block->home;
  if (throttle_ == nullptr || transfer.source != nullptr || home.tier < 0) return nullptr;
  return tiers_.tiers()[static_cast<std::size_t>(home.tier)].copy_fraction > 0 ? throttle_.get() : nullptr;
}

base::Status Mover::copy_memory(Transfer& transfer) noexcept {
  const Block& block = *transfer.replica->block;
  auto* const packed = static_cast<std::byte*>(transfer.replica->address);
  Throttle* const throttle = throttle_of(transfer);
  const auto done = throttle != nullptr ? throttle->reserve(block.bytes) : Throttle::Clock::time_point{};
  if (transfer.source != nullptr) {
    memory::copy_bytes(packed, static_cast<const std::byte*>(transfer.source->address), block.bytes);
  } else if (block.home.kind == Home::Kind::program) {
    if (transfer.kind == Transfer::Kind::fetch)
      memory::pack(packed, program_region(block));
    else
      memory::unpack(program_region(block), packed);
  } else {
    WEIR_CHECK(block.home.kind == Home::Kind::arena, "a copy of memory starts or ends in memory");
    auto* const home = static_cast<std::byte*>(block.home.address);
    if (transfer.kind == Transfer::Kind::fetch)
      memory::copy_bytes(packed, home, block.bytes);
    else
      memory::copy_bytes(home, packed, block.bytes);
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
