// SPDX-License-Identifier: Apache-2.0

#include "cluster/staging.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "memory/tier_spec.hpp"

namespace weir::cluster {

class Staging::Given final : public Ending {
 public:
  Given(Staging& staging, std::uint64_t place, std::size_t bytes) noexcept
      : staging_(staging), place_(place), bytes_(bytes) {}
  void done() noexcept override { staging_.give_back(place_, bytes_); }
  void failed(const std::string&) noexcept override { staging_.give_back(place_, bytes_); }

 private:
  Staging& staging_;
  std::uint64_t place_;
  std::size_t bytes_;
};

base::Result<std::unique_ptr<Staging>> Staging::make(transport::RegionMemory& region, Bytes most) {
  auto piece = region.cut(most, {}, "staging");
  if (!piece) return piece.status();
  const std::uint64_t origin = *region.offset_of((*piece)->data());
  memory::ArenaConfig config;
  config.name = "staging";
  config.budget = most;
  auto arena = memory::Arena::make(std::move(config), std::move(*piece));
  if (!arena) return arena.status();
  return std::unique_ptr<Staging>(new Staging(std::move(*arena), origin));
}

base::Result<Staging::Copy> Staging::copy(std::span<const std::byte> bytes) {
  std::uint64_t place = 0;
  std::byte* to = nullptr;
  {
    const base::Lock lock(mutex_);
    place = arena_->allocate(bytes.size());
    to = arena_->address(place);
    if (to == nullptr) {
      return base::Status{
          base::Code::no_space,
          fmt::format(
              "{} to send to another rank: {} wait already to be taken, and there is no room for more: call barrier() "
              "before this rank is so far ahead of those that read its tiles",
              memory::size_text({bytes.size()}), memory::size_text({arena_->used()}))};
    }
  }
  std::memcpy(to, bytes.data(), bytes.size());
  return Copy{origin_ + place, std::make_unique<Given>(*this, place, bytes.size())};
}

void Staging::give_back(std::uint64_t place, std::size_t bytes) noexcept {
  const base::Lock lock(mutex_);
  arena_->free(place, bytes);
}

}  // namespace weir::cluster
