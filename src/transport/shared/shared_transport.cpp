// SPDX-License-Identifier: Apache-2.0

#include "transport/shared/shared_transport.hpp"

#include <utility>

#include "transport/shared/channel.hpp"

namespace weir::transport {

namespace shared {

SharedTransport::SharedTransport(Started started, const SharedPlace& place)
    : commons_(std::move(started.commons)),
      sockets_(std::move(started.sockets)),
      peers_(commons_, launch::Control(place.control)),
      waiting_(commons_, peers_, place.cores),
      assembly_(commons_, peers_, waiting_),
      regions_(commons_, assembly_, sockets_) {
  waiting_.set_progress([this] { return progress(); });
  for (std::uint32_t i = 0; i < commons_.ranks(); ++i) neighbours_.push_back(Rank{i});
}

std::unique_ptr<Channel> SharedTransport::open_channel() {
  return std::make_unique<NeighbourChannel>(regions_, peers_);
}

void SharedTransport::set_handler(std::uint16_t number, Handler handler, void* context) {
  handlers_.set(number, handler, context);
}

base::Status SharedTransport::send(Rank, std::uint16_t, std::span<const std::byte>) {
  return {base::Code::unsupported, "messages are not part of this build"};
}

bool SharedTransport::progress() { return false; }

void SharedTransport::wait_for_arrival(std::uint64_t ns) {
  waiting_.sleep(ns, [] { return false; });
}

base::Status SharedTransport::leave() {
  base::Status status = assembly_.barrier();
  peers_.leave();
  return status;
}

}  // namespace shared

base::Result<std::unique_ptr<Transport>> open_shared(const SharedPlace& place) {
  auto started = shared::start(place);
  if (!started) return started.status();
  return std::unique_ptr<Transport>(new shared::SharedTransport(std::move(*started), place));
}

}  // namespace weir::transport
