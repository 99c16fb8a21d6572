// SPDX-License-Identifier: Apache-2.0

#include "transport/shared/start.hpp"

#include <fmt/format.h>

#include <chrono>

#include "launch/control.hpp"

namespace weir::transport::shared {
namespace {

using base::Code;
using base::Status;

base::Result<Started> start_alone(const SharedPlace& place) {
  auto commons = Commons::make(1);
  if (!commons) return commons.status();
  if (Status status = Peers(*commons, place).enter(); !status) return status;
  return Started{std::move(*commons), Sockets()};
}

// Whoever has the common memory and its lock says so; when all have, all go on.
base::Status wait_for_all(Sockets& sockets, std::uint32_t ranks, Deadline deadline) {
  for (std::uint32_t i = 1; i < ranks; ++i) {
    if (const auto there = sockets.receive(Rank{i}, deadline); !there) return there.status();
  }
  return Status::success();
}

void tell_all(Sockets& sockets, std::uint32_t ranks, const Status& verdict) {
  Packet packet;
  packet.code = static_cast<std::uint32_t>(verdict.code);
  verdict.message.copy(packet.text, sizeof packet.text - 1);
  for (std::uint32_t i = 1; i < ranks; ++i) static_cast<void>(sockets.send(Rank{i}, packet));
}

base::Result<Started> start_first(const SharedPlace& place, Deadline deadline) {
  auto sockets = Sockets::connect(place.job, place.rank, place.ranks, deadline);
  if (!sockets) return sockets.status();
  auto commons = Commons::make(place.ranks);
  Status status = commons ? Peers(*commons, place).enter() : commons.status();
  for (std::uint32_t i = 1; i < place.ranks && status; ++i) {
    status = sockets->send(Rank{i}, {}, commons->descriptor());
  }
  if (status) status = wait_for_all(*sockets, place.ranks, deadline);
  tell_all(*sockets, place.ranks, status);
  if (!status) return status;
  return Started{std::move(*commons), std::move(*sockets)};
}

// Rank 0 says what is wrong; so the others wait longer than it does.
base::Result<Started> start_other(const SharedPlace& place, Deadline deadline) {
  if (deadline != Deadline::max()) deadline += std::chrono::seconds(5);
  auto sockets = Sockets::connect(place.job, place.rank, place.ranks, deadline);
  if (!sockets) return sockets.status();
  platform::Descriptor descriptor;
  const auto packet = sockets->receive(Rank{0}, deadline, &descriptor);
  if (!packet) return packet.status();
  auto commons = Commons::attach(descriptor.release(), place.rank, place.ranks);
  Status status = commons ? Peers(*commons, place).enter() : commons.status();
  Packet here;
  here.code = static_cast<std::uint32_t>(status.code);
  status.message.copy(here.text, sizeof here.text - 1);
  if (const Status sent = sockets->send(Rank{0}, here); status && !sent) status = sent;
  if (!status) return status;
  if (const auto go = sockets->receive(Rank{0}, deadline); !go) return go.status();
  return Started{std::move(*commons), std::move(*sockets)};
}

}  // namespace

base::Result<Started> start(const SharedPlace& place) {
  if (place.ranks == 0 || static_cast<std::uint32_t>(place.rank) >= place.ranks) {
    return Status{Code::bad_option, fmt::format("rank {} of {}: there is no such rank",
                                                static_cast<std::uint32_t>(place.rank), place.ranks)};
  }
  if (place.ranks == 1) return start_alone(place);
  if (place.job.empty()) {
    return Status{Code::bad_option,
                  fmt::format("rank {} of {}: the job has no id, by which its ranks could find one another",
                              static_cast<std::uint32_t>(place.rank), place.ranks)};
  }
  launch::Control(place.control).seek();
  const bool is_endless = place.patience == std::chrono::milliseconds::max();
  const Deadline deadline = is_endless ? Deadline::max() : std::chrono::steady_clock::now() + place.patience;
  return place.rank == Rank{0} ? start_first(place, deadline) : start_other(place, deadline);
}

}  // namespace weir::transport::shared
