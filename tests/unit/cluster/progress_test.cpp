// SPDX-License-Identifier: Apache-2.0

// Why all fails when a rank is found lost: what it, or others, have said of it counts, however late that comes.
#include "cluster/progress.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "cluster/wire.hpp"
#include "transport/handlers.hpp"
#include "weir/runtime.hpp"

namespace weir::cluster {
namespace {

using base::Status;
using transport::RegionId;

// Rank 2 of 3, which finds rank 1 lost from the start on. That rank 0 has failed it is told once it has asked so often
// whether a rank is lost.
class ThirdOfThree final : public transport::Transport {
 public:
  explicit ThirdOfThree(int told_after) : told_after_(told_after) {}

  const char* name() const noexcept override { return "third of three"; }
  Rank rank() const noexcept override { return Rank{2}; }
  std::uint32_t ranks() const noexcept override { return 3; }
  std::span<const Rank> neighbours() const noexcept override { return {}; }
  base::Result<transport::Region> make_region(const transport::RegionSpec&) override { return gone(); }
  Status free_region(RegionId) override { return gone(); }
  std::byte* mapped(Rank, RegionId) const noexcept override { return nullptr; }
  Descriptor descriptor(RegionId) const noexcept override { return {}; }
  std::unique_ptr<transport::Channel> open_channel() override { return nullptr; }
  void set_handler(std::uint16_t number, Handler handler, void* context) override {
    handlers_.set(number, handler, context);
  }
  Status send(Rank, std::uint16_t, std::span<const std::byte>) override { return gone(); }
  bool progress() override {
    if (asked_.load() < told_after_ || is_told_.exchange(true)) return false;
    constexpr std::string_view kText = "rank 0 has left";
    std::array<std::byte, sizeof(Failed) + kText.size()> message;
    const Failed head{0};
    std::memcpy(message.data(), &head, sizeof head);
    std::memcpy(message.data() + sizeof head, kText.data(), kText.size());
    handlers_.run(static_cast<std::uint16_t>(Message::failed), Rank{0}, message);
    return true;
  }
  void wait_for_arrival(std::uint64_t) override {}
  bool needs_progress() const noexcept override { return false; }
  bool is_quiet() const override { return true; }
  Status all_gather(std::span<const std::byte>, std::span<std::byte>) override { return gone(); }
  Status barrier() override { return gone(); }
  std::optional<transport::Lost> lost() const override {
    asked_.fetch_add(1);
    return transport::Lost{Rank{1}, "process 7 has ended"};
  }
  Status leave() override { return gone(); }
  [[noreturn]] void abort(int status) override { std::_Exit(status); }

 private:
  static Status gone() { return {base::Code::lost, "rank 1 is lost: process 7 has ended"}; }

  const int told_after_;
  transport::Handlers handlers_;
  mutable std::atomic<int> asked_{0};
  std::atomic<bool> is_told_{false};
};

std::string reason(int told_after) {
  ThirdOfThree transport(told_after);
  Exchange exchange(transport);
  Options options;
  options.workers = 1;
  Runtime runtime(options);
  const Progress progress(transport, exchange, runtime);
  while (!exchange.has_failed()) std::this_thread::yield();
  return exchange.failure();
}

TEST(ProgressOfRanks, WhyARankHasFailedIsWhatCountsAlsoWhenARankThatItHasToldIsFoundLostBefore) {
  EXPECT_EQ(reason(1), "rank 0 has left");
  EXPECT_EQ(reason(20), "rank 0 has left");
}

TEST(ProgressOfRanks, ARankIsNamedLostWhenNothingElseIsSaid) {
  EXPECT_EQ(reason(1'000'000), "rank 1 is lost: process 7 has ended");
}

}  // namespace
}  // namespace weir::cluster
