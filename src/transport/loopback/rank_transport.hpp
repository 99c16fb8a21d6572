// SPDX-License-Identifier: Apache-2.0

// RankTransport: the transport of one rank of a loopback world. That rank's thread only.
#pragma once

#include <vector>

#include "transport/handlers.hpp"
#include "transport/loopback/state.hpp"
#include "transport/transport.hpp"

namespace weir::transport::loopback {

class RankTransport final : public Transport {
 public:
  RankTransport(State& state, Rank self);

  const char* name() const noexcept override { return "loopback"; }
  Rank rank() const noexcept override { return self_; }
  std::uint32_t ranks() const noexcept override { return state_.settings().ranks; }
  std::span<const Rank> neighbours() const noexcept override { return neighbours_; }

  base::Result<Region> make_region(const RegionSpec& spec) override;
  base::Status free_region(RegionId id) override;
  std::byte* mapped(Rank rank, RegionId id) const noexcept override;
  Descriptor descriptor(RegionId) const noexcept override { return {}; }
  std::unique_ptr<Channel> open_channel() override;

  void set_handler(std::uint16_t number, Handler handler, void* context) override {
    handlers_.set(number, handler, context);
  }
  base::Status send(Rank to, std::uint16_t handler, std::span<const std::byte> bytes) override;
  bool progress() override;
  void wait_for_arrival(std::uint64_t ns) override;
  // What this rank has issued is under way by itself, but time goes on only when ranks call the transport.
  bool needs_progress() const noexcept override { return true; }
  bool is_quiet() const override { return state_.network().is_quiet(self_); }

  base::Status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override;
  base::Status barrier() override;

  std::optional<Lost> lost() const override { return state_.lost(); }
  base::Status leave() override;
  [[noreturn]] void abort(int status) override;

 private:
  bool run_arrived();
  // The same while it waits for what others do.
  base::Status wait(const Turns::Ready& ready);

  State& state_;
  Rank self_;
  Handlers handlers_;
  std::vector<Rank> neighbours_;
  std::uint16_t regions_made_ = 0;
  bool is_in_handler_ = false;
};

}  // namespace weir::transport::loopback
