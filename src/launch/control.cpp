// SPDX-License-Identifier: Apache-2.0

#include "launch/control.hpp"

#include <sys/socket.h>

#include <cerrno>

namespace weir::launch {

namespace {

void say(int socket, Said::What what, std::int32_t value = 0) noexcept {
  if (socket < 0) return;
  const int before = errno;
  const Said said{what, value};
  // Fails when the launcher is gone, which ends this process anyway.
  while (::send(socket, &said, sizeof said, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
  errno = before;
}

int option_of(int socket, int name) noexcept {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

}  // namespace

void Control::seek() const noexcept { say(socket_, Said::What::seeks); }
void Control::join() const noexcept { say(socket_, Said::What::joins); }
void Control::leave() const noexcept { say(socket_, Said::What::leaves); }
void Control::abort(int status) const noexcept { say(socket_, Said::What::aborts, status); }
void Control::lost(Rank rank) const noexcept { say(socket_, Said::What::lost, static_cast<std::int32_t>(rank)); }

std::optional<Said> read_said(int socket) noexcept {
  Said said;
  ssize_t bytes = 0;
  do bytes = ::recv(socket, &said, sizeof said, MSG_DONTWAIT);
  while (bytes < 0 && errno == EINTR);
  if (bytes < 0 && errno == EAGAIN) return std::nullopt;
  if (bytes != sizeof said || said.what > Said::What::seeks) said.what = Said::What::closed;
  return said;
}

bool is_control(int socket) noexcept {
  return option_of(socket, SO_DOMAIN) == AF_UNIX && option_of(socket, SO_TYPE) == SOCK_SEQPACKET;
}

}  // namespace weir::launch
