// SPDX-License-Identifier: Apache-2.0

#include "ocr/mail/reach.hpp"

#include <unistd.h>

#include <utility>

namespace weir::ocr {

namespace {

// Addresses of the rooms, and of what may be kept in them, as parts of the host's memory.
constexpr std::uint64_t kRoomsPart = 4, kKeptPart = 16;

Bytes memory_of_host() {
  return {static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))};
}

}  // namespace

constinit std::atomic<Reach*> Reach::running_{nullptr};

base::Result<std::unique_ptr<Reach>> Reach::make(transport::Transport& transport) {
  const Bytes most = memory_of_host(), rooms{most.count / kRoomsPart};
  auto region = transport::RegionMemory::make(transport, {most.count + rooms.count});
  if (!region) return region.status();
  auto piece = (*region)->cut(rooms, {}, "copies");
  if (!piece) return piece.status();
  memory::ArenaConfig config;
  config.name = "copies";
  config.budget = rooms;
  auto arena = memory::Arena::make(std::move(config), std::move(*piece));
  if (!arena) return arena.status();
  const std::size_t most_kept = most.count / kKeptPart / transport.neighbours().size();
  return std::unique_ptr<Reach>(new Reach(transport, std::move(*region), std::move(*arena), most_kept));
}

memory::TierSetConfig::MakeBacking Reach::backing() {
  return [this](const memory::ArenaConfig& arena) { return region_->cut(arena.budget, arena.os_nodes, arena.name); };
}

Reach::Room::Room(Room&& other) noexcept
    : reach_(std::exchange(other.reach_, nullptr)),
      place_(other.place_),
      bytes_(other.bytes_),
      data_(std::exchange(other.data_, nullptr)),
      heap_(std::move(other.heap_)) {}

Reach::Room::~Room() {
  if (reach_ == nullptr) return;
  const base::Lock lock(reach_->mutex_);
  reach_->rooms_->free(place_, bytes_);
}

Reach::Room Reach::make_room(std::size_t bytes) {
  Room room;
  room.bytes_ = bytes;
  {
    const base::Lock lock(mutex_);
    room.place_ = rooms_->allocate(bytes);
    room.data_ = rooms_->address(room.place_);
  }
  if (room.data_ != nullptr) {
    room.reach_ = this;
    return room;
  }
  constexpr std::size_t kAlignment = 64;
  std::size_t space = bytes + kAlignment;
  room.heap_.reset(new std::byte[space]);
  void* start = room.heap_.get();
  room.data_ = static_cast<std::byte*>(std::align(kAlignment, bytes, start, space));
  return room;
}

const std::byte* Reach::mapped(Rank rank, std::uint64_t offset) const noexcept {
  const std::byte* const region = transport_.mapped(rank, region_->id());
  return region == nullptr ? nullptr : region + offset;
}

void Reach::read(Rank rank, std::uint64_t offset, std::span<std::byte> to, transport::FarReader::Done done) {
  far_->read({rank, region_->id(), offset}, to, std::move(done));
}

}  // namespace weir::ocr
