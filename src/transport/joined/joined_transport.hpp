// SPDX-License-Identifier: Apache-2.0

// JoinedTransport: ranks on several hosts: neighbours by the shared backend, the rest by the link over MPI. With no
// neighbours it is the mpi backend.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "transport/joined/neighbourhood.hpp"
#include "transport/joined/post.hpp"
#include "transport/mpi/link.hpp"
#include "transport/transport.hpp"

namespace weir::transport::joined {

class JoinedTransport final : public Transport {
 public:
  // `near`: among the neighbours, by their numbers there.
  JoinedTransport(std::unique_ptr<mpi::Link> link, std::unique_ptr<Transport> near, std::vector<Rank> neighbours);

  const char* name() const noexcept override { return name_.c_str(); }
  Rank rank() const noexcept override { return link_->rank(); }
  std::uint32_t ranks() const noexcept override { return link_->ranks(); }
  std::span<const Rank> neighbours() const noexcept override { return neighbourhood_.ranks(); }

  base::Result<Region> make_region(const RegionSpec& spec) override;
  base::Status free_region(RegionId id) override;
  std::byte* mapped(Rank rank, RegionId id) const noexcept override;
  Descriptor descriptor(RegionId id) const noexcept override { return near_->descriptor(id); }
  std::unique_ptr<Channel> open_channel() override;

  void set_handler(std::uint16_t number, Handler handler, void* context) override;
  base::Status send(Rank to, std::uint16_t handler, std::span<const std::byte> bytes) override;
  bool progress() override;
  void wait_for_arrival(std::uint64_t ns) override;
  void begin_polling() noexcept override { near_->begin_polling(); }
  bool end_polling() noexcept override { return near_->end_polling(); }
  void wake_waiting() noexcept override { near_->wake_waiting(); }
  bool needs_progress() const noexcept override { return true; }
  bool is_quiet() const override { return near_->is_quiet() && link_->is_quiet(); }

  base::Status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    return link_->all_gather(mine, all);
  }
  base::Status barrier() override { return link_->barrier(); }

  std::optional<Lost> lost() const override;
  base::Status leave() override;
  void leave_alone() noexcept override { near_->leave_alone(); }
  [[noreturn]] void abort(int status) override { link_->abort(status); }

 private:
  bool work();  // of neighbours and of messages
  void tell_lost() const;
  // Of all ranks' makings of a region: the first failure, alike on all.
  base::Status agree(const base::Result<Region>& made);

  Neighbourhood neighbourhood_;
  std::string name_;
  // The link goes first: its thread touches the memory that the near transport has.
  std::unique_ptr<Transport> near_;
  std::unique_ptr<mpi::Link> link_;
  Post post_;
  std::atomic<std::uint64_t> seen_{0};       // arrivals that a wait_for_arrival() has returned for
  std::atomic<std::uint32_t> fruitless_{0};  // calls of wait_for_arrival() that have found nothing since
};

}  // namespace weir::transport::joined
