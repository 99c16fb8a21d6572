// SPDX-License-Identifier: Apache-2.0

#include "transport/rank_clock.hpp"

#include <cstring>
#include <span>

#include "platform/clock.hpp"

namespace weir::transport {

namespace {

constexpr int kQuestions = 50;
constexpr std::uint64_t kNapNs = 1'000'000;

}  // namespace

RankClock::RankClock(Transport& transport, const std::string& job, Handlers numbers)
    : transport_(transport), numbers_(numbers) {
  job.copy(own_.job.data(), own_.job.size() - 1);
  transport_.set_handler(
      numbers_.asked,
      [](void* context, Rank from, std::span<const std::byte>) { static_cast<RankClock*>(context)->answer(from); },
      this);
  transport_.set_handler(
      numbers_.told,
      [](void* context, Rank, std::span<const std::byte> bytes) {
        auto& self = *static_cast<RankClock*>(context);
        std::memcpy(&self.told_, bytes.data(), sizeof self.told_);
        self.is_told_ = true;
      },
      this);
}

// A question of a rank that is lost needs no answer.
void RankClock::answer(Rank to) {
  Answer now = own_;
  now.ns = platform::now_ns();
  static_cast<void>(transport_.send(to, numbers_.told, std::as_bytes(std::span(&now, 1))));
}

RankClock::Told RankClock::ask() {
  std::uint64_t shortest = ~std::uint64_t{0};
  Told result;
  for (int i = 0; i < kQuestions; ++i) {
    is_told_ = false;
    const std::uint64_t before = platform::now_ns();
    if (!transport_.send(Rank{0}, numbers_.asked, {})) return result;
    while (!is_told_) {
      if (transport_.lost()) return result;
      if (!transport_.progress() && platform::now_ns() - before > kNapNs) transport_.wait_for_arrival(kNapNs);
    }
    const std::uint64_t took = platform::now_ns() - before;
    if (took >= shortest) continue;
    shortest = took;
    result.offset_ns = static_cast<std::int64_t>(told_.ns - (before + took / 2));
    result.job = told_.job.data();
  }
  return result;
}

}  // namespace weir::transport
