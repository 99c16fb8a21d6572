// SPDX-License-Identifier: Apache-2.0

#include "transport/loopback/state.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "base/check.hpp"
#include "memory/tier_spec.hpp"

namespace weir::transport::loopback {

constexpr std::uint64_t kGranule = std::uint64_t{2} << 20;

using base::Code;
using base::Status;

State::State(const Settings& settings)
    : settings_(settings),
      random_([this](std::uint64_t limit) { return turns_.below(limit); }),
      network_(settings.ranks, random_),
      turns_(settings.ranks, settings.seed, settings.most_turns, [this] { return network_.happen(); }),
      presence_(settings.ranks, Presence::here),
      gathered_(settings.ranks) {}

void State::end_when_told(Rank self) const {
  if (aborted_) throw Ended{};
  if (is_lost(self)) throw Killed{};
}

void State::lose_when_due() {
  const auto& loss = settings_.loss;
  if (loss && turns_.count() >= loss->after && presence_[index(loss->rank)] == Presence::here) {
    lose(loss->rank, fmt::format("it was lost on request after {} turns", loss->after));
  }
}

void State::pass(Rank self) {
  turns_.pass(index(self));
  lose_when_due();
  end_when_told(self);
  if (turns_.is_stuck()) {
    throw std::runtime_error(fmt::format("no end after {} turns (seed {})", settings_.most_turns, settings_.seed));
  }
}

Status State::wait(Rank self, const Turns::Ready& ready) {
  const bool done =
      turns_.wait(index(self), [&] { return ready() || lost_.has_value() || aborted_.has_value() || is_lost(self); });
  lose_when_due();
  end_when_told(self);
  if (ready()) return Status::success();
  if (Status gone = status(); !gone) return gone;
  WEIR_CHECK(!done, "a wait that ends without a reason");
  return {Code::lost, fmt::format("rank {} waits for what never comes (seed {}, {} turns)", index(self), settings_.seed,
                                  turns_.count())};
}

Status State::status() const {
  if (!lost_) return Status::success();
  return {Code::lost, fmt::format("rank {} is lost: {}", index(lost_->rank), lost_->why)};
}

void State::lose(Rank rank, std::string why) {
  presence_[index(rank)] = Presence::lost;
  network_.lose(rank);
  if (!lost_) lost_ = Lost{rank, std::move(why)};
}

void State::end(Rank rank) {
  if (presence_[index(rank)] == Presence::here && !aborted_) lose(rank, "its function has ended");
  turns_.end(index(rank));
}

std::uint64_t State::arrive() {
  const std::uint64_t meeting = meetings_;
  if (++arrived_ == settings_.ranks) {
    arrived_ = 0;
    ++meetings_;
  }
  return meeting;
}

Status State::make_memory(std::uint16_t number, std::uint64_t stride, const std::string& name) {
  if (memories_.count(number) != 0) return Status::success();
  std::int64_t total = 0;
  if (__builtin_mul_overflow(stride, std::uint64_t{settings_.ranks}, &total)) total = std::int64_t{1} << 62;
  auto pages = platform::Pages::map({static_cast<std::uint64_t>(total) + kGranule}, {}, platform::PageSize::small);
  if (!pages) {
    return {Code::no_space, fmt::format("region {}: {} on each of {} ranks: {}", name, memory::size_text({stride}),
                                        settings_.ranks, pages.status().message)};
  }
  auto* const data = static_cast<std::byte*>(pages->data());
  std::byte* const base = data + (kGranule - reinterpret_cast<std::uintptr_t>(data) % kGranule) % kGranule;
  memories_.emplace(number, Memory{std::move(*pages), base, stride});
  return Status::success();
}

std::byte* State::part(Rank rank, RegionId id) const {
  const auto found = memories_.find(static_cast<std::uint16_t>(id));
  if (found == memories_.end() || index(rank) >= settings_.ranks) return nullptr;
  return found->second.base + index(rank) * found->second.stride;
}

std::byte* State::find(const Location& at, std::size_t bytes) const {
  std::byte* const begin = part(at.rank, at.region);
  WEIR_CHECK(begin != nullptr, "a location on a rank, or in a region, that there is not");
  const std::uint64_t size = memories_.at(static_cast<std::uint16_t>(at.region)).stride;
  WEIR_CHECK(at.offset <= size && bytes <= size - at.offset, "a location beyond the end of its region");
  return begin + at.offset;
}

}  // namespace weir::transport::loopback
