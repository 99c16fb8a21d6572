// SPDX-License-Identifier: Apache-2.0

// Reach: the memory of this rank that others read, and reading theirs: what is too long for messages.
//
// One region of the transport, as large as all that a rank could have (transport/tier_room.hpp; pages come as they are
// used). The tiers stand on a part of it, so that other ranks find data blocks where they are; rooms for copies are in
// another. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/ids.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "memory/arena.hpp"
#include "memory/tier_set.hpp"
#include "transport/far_reader.hpp"
#include "transport/region_memory.hpp"
#include "transport/tier_room.hpp"
#include "transport/transport.hpp"

namespace weir::ocr {

class Reach {
 public:
  // Collective. `tiers`: what this rank is asked for (Options::tiers).
  static base::Result<std::unique_ptr<Reach>> make(transport::Transport& transport, std::string_view tiers);
  Reach(const Reach&) = delete;
  Reach& operator=(const Reach&) = delete;

  // That of the running program; null while it runs on one rank.
  static Reach* running() noexcept { return running_.load(std::memory_order_acquire); }
  static void set_running(Reach* reach) noexcept { running_.store(reach, std::memory_order_release); }

  // What the tiers of this rank are made of: it outlives them.
  memory::TierSetConfig tiers_config();
  // Where other ranks read it; none: they cannot.
  std::optional<std::uint64_t> offset_of(const std::byte* data) const noexcept { return region_->offset_of(data); }

  // Memory for a copy, at a multiple of 64 bytes: where others read it, or of the heap when there is no more of that.
  class Room {
   public:
    Room() = default;
    ~Room();
    Room(Room&& other) noexcept;
    Room& operator=(Room&&) = delete;
    std::byte* data() const noexcept { return data_; }

   private:
    friend class Reach;
    Reach* reach_ = nullptr;  // null: of the heap
    std::uint64_t place_ = 0;
    std::size_t bytes_ = 0;
    std::byte* data_ = nullptr;
    std::unique_ptr<std::byte[]> heap_;
  };
  // Throws std::bad_alloc.
  Room make_room(std::size_t bytes);
  // How many bytes of copies may be kept that nothing uses.
  std::size_t most_kept() const noexcept;

  // What lies there on another rank, where this process maps it; null: it does not.
  const std::byte* mapped(Rank rank, std::uint64_t offset) const noexcept;
  // `done` comes on a thread of the Reach's own.
  void read(Rank rank, std::uint64_t offset, std::span<std::byte> to, transport::FarReader::Done done);
  // What was asked for has been read; nothing is asked for any more.
  void end_reading() noexcept { far_.reset(); }

 private:
  Reach(transport::Transport& transport, std::unique_ptr<transport::RegionMemory> region,
        std::unique_ptr<memory::Arena> rooms, const transport::TierRoom& room)
      : transport_(transport),
        region_(std::move(region)),
        room_(room),
        rooms_(std::move(rooms)),
        far_(std::make_unique<transport::FarReader>(transport)) {}

  static constinit std::atomic<Reach*> running_;  // SYS-1

  transport::Transport& transport_;
  const std::unique_ptr<transport::RegionMemory> region_;
  const transport::TierRoom room_;
  base::Mutex mutex_;
  const std::unique_ptr<memory::Arena> rooms_ WEIR_GUARDED_BY(mutex_);
  std::unique_ptr<transport::FarReader> far_;  // last: its thread ends first
};

}  // namespace weir::ocr
