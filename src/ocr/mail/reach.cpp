// SPDX-License-Identifier: Apache-2.0

#include "ocr/mail/reach.hpp"

#include <utility>

namespace weir::ocr {

namespace {

constexpr std::uint64_t kKeptPart = 16;  // of what tiers may have, so much may be kept in rooms

}  // namespace

constinit std::atomic<Reach*> Reach::running_{nullptr};

base::Result<std::unique_ptr<Reach>> Reach::make(transport::Transport& transport, std::string_view tiers) {
  const auto room = transport::TierRoom::agree(transport, tiers);
  if (!room) return room.status();
  auto region = transport::RegionMemory::make(transport, room->all());
  if (!region) return region.status();
  auto piece = (*region)->cut(room->copies, {}, "copies");
  if (!piece) return piece.status();
  memory::ArenaConfig config;
  config.name = "copies";
  config.budget = room->copies;
  auto arena = memory::Arena::make(std::move(config), std::move(*piece));
  if (!arena) return arena.status();
  return std::unique_ptr<Reach>(new Reach(transport, std::move(*region), std::move(*arena), *room));
}

memory::TierSetConfig Reach::tiers_config() {
  return room_.tiers_in(*region_, static_cast<unsigned>(transport_.neighbours().size()));
}

std::size_t Reach::most_kept() const noexcept { return room_.tiers.count / kKeptPart / transport_.neighbours().size(); }

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
