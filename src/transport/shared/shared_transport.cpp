// SPDX-License-Identifier: Apache-2.0

#include "transport/shared/shared_transport.hpp"

#include <utility>

#include "transport/shared/channel.hpp"

namespace weir::transport {

namespace shared {

SharedTransport::SharedTransport(Started started, const SharedPlace& place)
    : commons_(std::move(started.commons)),
      sockets_(std::move(started.sockets)),
      peers_(commons_, place),
      waiting_(commons_, peers_, place.cores),
      assembly_(commons_, peers_, waiting_),
      regions_(commons_, assembly_, sockets_),
      mail_(commons_, peers_, waiting_) {
  waiting_.set_work(mail_);
  for (std::uint32_t i = 0; i < commons_.ranks(); ++i) neighbours_.push_back(Rank{i});
  peers_.show_life();
}

std::unique_ptr<Channel> SharedTransport::open_channel() {
  return std::make_unique<NeighbourChannel>(regions_, peers_);
}

// Every message that was sent before is in a ring, or run, when all have passed the barrier.
base::Status SharedTransport::leave() {
  base::Status status = mail_.send_all();
  if (status) status = assembly_.barrier();
  while (status && mail_.progress()) {
  }
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
