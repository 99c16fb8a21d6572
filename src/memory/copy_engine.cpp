// SPDX-License-Identifier: Apache-2.0

#include "memory/copy_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <semaphore>
#include <utility>

#include "base/check.hpp"
#include "memory/file_store.hpp"
#include "memory/tier_set.hpp"

namespace weir::memory {

using base::Status;

std::string CopyEnd::name() const {
  if (backing == nullptr) return "the program's memory";
  return fmt::format("{} memory {:?} at {}", to_string(backing->kind()), backing->name(), offset);
}

void CopyEngine::start(Copy&) noexcept { base::check_failed(__FILE__, __LINE__, "start()", "has_start() is false"); }

namespace {

// Between memory that the processor addresses, strided or not.
class MemoryEngine final : public CopyEngine {
 public:
  Status perform(Copy& copy) noexcept override {
    if (copy.from.backing != nullptr && copy.to.backing != nullptr) {
      copy_bytes(copy.to.address(), copy.from.address(), copy.bytes);
    } else if (copy.from.backing != nullptr) {
      unpack(copy.to.region, copy.from.address());
    } else {
      WEIR_CHECK(copy.to.backing != nullptr, "one end of a copy is a backing's");
      pack(copy.to.address(), copy.from.region);
    }
    return Status::success();
  }
};

// Between a FileStore and memory that the processor addresses, with room for the bytes rounded up to 4096.
class FileEngine final : public CopyEngine {
 public:
  bool has_start() const noexcept override { return true; }

  void start(Copy& copy) noexcept override {
    auto* const flight = new Flight{transfer_of(copy), &copy};
    flight->transfer.user = flight;
    flight->transfer.done = [](FileTransfer& ended, const Status& status) noexcept {
      const std::unique_ptr<Flight> self(static_cast<Flight*>(ended.user));
      self->copy->done(*self->copy, status);
    };
    file_of(copy).start(flight->transfer);
  }

  Status perform(Copy& copy) noexcept override {
    struct Answer {
      std::binary_semaphore there{0};
      Status status;
    } answer;
    FileTransfer transfer = transfer_of(copy);
    transfer.user = &answer;
    transfer.done = [](FileTransfer& ended, const Status& status) noexcept {
      auto& to = *static_cast<Answer*>(ended.user);
      to.status = status;
      to.there.release();
    };
    file_of(copy).start(transfer);
    answer.there.acquire();
    return std::move(answer.status);
  }

 private:
  struct Flight {  // deletes itself when it has landed
    FileTransfer transfer;
    Copy* copy;
  };

  static bool writes(const Copy& copy) noexcept { return copy.to.backing->kind() == BackingKind::file; }
  static FileStore& file_of(const Copy& copy) noexcept {
    return static_cast<FileStore&>(writes(copy) ? *copy.to.backing : *copy.from.backing);
  }
  static FileTransfer transfer_of(const Copy& copy) noexcept {
    const bool write = writes(copy);
    FileTransfer transfer;
    transfer.range.offset = write ? copy.to.offset : copy.from.offset;
    transfer.range.bytes = RangeAllocator::rounded(copy.bytes, FileStore::kGranule);
    transfer.memory = write ? copy.from.address() : copy.to.address();
    transfer.bytes = copy.bytes;
    transfer.write = write;
    transfer.block = copy.block;
    return transfer;
  }
};

// Another engine's copies, at the speed of the emulated memory at one of their ends.
class ThrottledEngine final : public CopyEngine {
 public:
  ThrottledEngine(CopyEngine& engine, Throttle& throttle) noexcept : engine_(engine), throttle_(throttle) {}

  Status perform(Copy& copy) noexcept override {
    const auto done = throttle_.reserve(copy.bytes);
    Status status = engine_.perform(copy);
    Throttle::wait_until(done);
    return status;
  }

 private:
  CopyEngine& engine_;
  Throttle& throttle_;
};

class UnknownPair final : public CopyEngine {
 public:
  Status perform(Copy& copy) noexcept override {
    return {base::Code::unsupported,
            fmt::format("block '{}', {} bytes: no copy engine goes from {} to {}; add one (CopyEngines::add), or bring "
                        "the block to memory that both reach",
                        copy.block, copy.bytes, copy.from.name(), copy.to.name())};
  }
};

}  // namespace

CopyEngines::CopyEngines(double emulated_bytes_per_second)
    : throttle_(emulated_bytes_per_second > 0 ? std::make_unique<Throttle>(emulated_bytes_per_second) : nullptr),
      memory_(std::make_unique<MemoryEngine>()),
      file_(std::make_unique<FileEngine>()),
      unknown_(std::make_unique<UnknownPair>()) {
  constexpr BackingKind kAddressed[] = {BackingKind::anonymous, BackingKind::shared};
  for (const BackingKind one : kAddressed) {
    for (const BackingKind other : kAddressed) add(one, other, *memory_);
    add_program(one, *memory_);
    add(one, BackingKind::file, *file_);
    add(BackingKind::file, one, *file_);
  }
}

CopyEngines::~CopyEngines() = default;

std::unique_ptr<CopyEngines> CopyEngines::for_tiers(const TierSet& tiers, unsigned threads) {
  double fraction = 0;
  for (const Tier& tier : tiers.tiers()) fraction = std::max(fraction, tier.copy_fraction);
  return std::make_unique<CopyEngines>(fraction > 0 ? fraction * copy_bandwidth(threads) : 0);
}

// An engine that works in the background is not slowed down: a file is slower than the memory that is emulated, and a
// copy that waits would hold up the others.
void CopyEngines::set(std::size_t from, std::size_t to, CopyEngine& engine) {
  Pair& pair = pairs_[from][to];
  pair.engine = &engine;
  pair.slowed = nullptr;
  if (throttle_ != nullptr && !engine.has_start()) pair.slowed = std::make_unique<ThrottledEngine>(engine, *throttle_);
}

void CopyEngines::add(BackingKind from, BackingKind to, CopyEngine& engine) {
  set(static_cast<std::size_t>(from), static_cast<std::size_t>(to), engine);
}

void CopyEngines::add_program(BackingKind kind, CopyEngine& engine) {
  set(static_cast<std::size_t>(kind), kProgram, engine);
  set(kProgram, static_cast<std::size_t>(kind), engine);
}

CopyEngine& CopyEngines::find(const CopyEnd& from, const CopyEnd& to) noexcept {
  const auto kind = [](const CopyEnd& end) {
    return end.backing == nullptr ? kProgram : static_cast<std::size_t>(end.backing->kind());
  };
  const auto emulated = [](const CopyEnd& end) { return end.backing != nullptr && end.backing->copy_fraction() > 0; };
  Pair& pair = pairs_[kind(from)][kind(to)];
  if (pair.engine == nullptr) return *unknown_;
  return pair.slowed != nullptr && (emulated(from) || emulated(to)) ? *pair.slowed : *pair.engine;
}

double CopyEngines::emulated_bytes_per_second() const noexcept {
  return throttle_ != nullptr ? throttle_->bytes_per_second() : 0;
}

void CopyEngines::charge(std::size_t bytes) noexcept {
  if (throttle_ != nullptr && bytes != 0) throttle_->charge(bytes);
}

}  // namespace weir::memory
