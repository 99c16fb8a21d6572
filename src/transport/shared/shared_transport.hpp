// SPDX-License-Identifier: Apache-2.0

// SharedTransport: the backend of ranks that are processes of one host. Each part is in a file of its own; this joins
// them.
#pragma once

#include <vector>

#include "transport/shared/assembly.hpp"
#include "transport/shared/mail.hpp"
#include "transport/shared/peers.hpp"
#include "transport/shared/regions.hpp"
#include "transport/shared/start.hpp"
#include "transport/shared/waiting.hpp"
#include "transport/transport.hpp"

namespace weir::transport::shared {

class SharedTransport final : public Transport {
 public:
  SharedTransport(Started started, const SharedPlace& place);
  ~SharedTransport() override { peers_.hide_life(); }

  const char* name() const noexcept override { return "shared"; }
  Rank rank() const noexcept override { return commons_.rank(); }
  std::uint32_t ranks() const noexcept override { return commons_.ranks(); }
  std::span<const Rank> neighbours() const noexcept override { return neighbours_; }

  base::Result<Region> make_region(const RegionSpec& spec) override { return regions_.make(spec); }
  base::Status free_region(RegionId id) override { return regions_.free(id); }
  std::byte* mapped(Rank rank, RegionId id) const noexcept override { return regions_.part(rank, id); }
  Descriptor descriptor(RegionId id) const noexcept override { return regions_.descriptor(id); }
  std::unique_ptr<Channel> open_channel() override;

  void set_handler(std::uint16_t number, Handler handler, void* context) override {
    mail_.set_handler(number, handler, context);
  }
  base::Status send(Rank to, std::uint16_t handler, std::span<const std::byte> bytes) override {
    return mail_.send(to, handler, bytes);
  }
  bool progress() override { return mail_.progress(); }
  void wait_for_arrival(std::uint64_t ns) override { waiting_.sleep(ns); }
  void begin_polling() noexcept override { mail_.begin_polling(); }
  bool end_polling() noexcept override { return mail_.end_polling(); }
  void wake_waiting() noexcept override { peers_.ring(rank()); }
  bool needs_progress() const noexcept override { return false; }
  bool is_quiet() const override { return true; }  // an operation is done when its call returns

  base::Status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    return assembly_.all_gather(mine, all);
  }
  base::Status barrier() override { return assembly_.barrier(); }

  std::optional<Lost> lost() const override { return peers_.lost(); }
  base::Status leave() override;
  void leave_alone() noexcept override { peers_.leave_alone(); }
  [[noreturn]] void abort(int status) override { peers_.end_all(status); }

 private:
  Commons commons_;
  Sockets sockets_;
  Peers peers_;
  Waiting waiting_;
  Assembly assembly_;
  Regions regions_;
  Mail mail_;
  std::vector<Rank> neighbours_;
};

}  // namespace weir::transport::shared
