// SPDX-License-Identifier: Apache-2.0

#include "launch/control.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace weir::launch {

namespace {

// Whether it was sent, or could not because the launcher is gone, which ends this process anyway.
bool say(int socket, Said::What what, std::int32_t value = 0) noexcept {
  if (socket < 0) return true;
  const int before = errno;
  const Said said{what, value};
  ssize_t sent = 0;
  do sent = ::send(socket, &said, sizeof said, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  const bool was_closed = sent < 0 && (errno == EBADF || errno == ENOTSOCK);
  errno = before;
  return !was_closed;
}

int option_of(int socket, int name) noexcept {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

}  // namespace

void Control::seek() const noexcept { say(socket_, Said::What::seeks); }
void Control::join() const noexcept { say(socket_, Said::What::joins); }
void Control::leave() const noexcept {
  constexpr char text[] =
      "weir: the program has closed the descriptor by which this process tells weir run that it leaves the job "
      "(WEIR_CONTROL): its end will be taken for a failure. Close only descriptors that the program has opened\n";
  if (say(socket_, Said::What::leaves)) return;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, sizeof text - 1);
}
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
