// SPDX-License-Identifier: Apache-2.0

// Abstract Unix sockets: their names, and the addresses of those. Values; any thread.
#pragma once

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace weir::platform {

struct AbstractSocket {
  sockaddr_un name{};
  socklen_t size = 0;

  // The text is cut to what an address holds, 107 characters.
  static AbstractSocket named(std::string_view text) noexcept {
    AbstractSocket address;
    address.name.sun_family = AF_UNIX;
    text = text.substr(0, sizeof address.name.sun_path - 1);
    std::memcpy(address.name.sun_path + 1, text.data(), text.size());
    address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
    return address;
  }
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&name); }
};

// Of a process for a purpose: "weir.explain.4026531836.4711". `proc`: its folder in /proc; `number`: as its own
// namespace numbers it. Numbers of processes are those of a namespace: containers may share sockets and have the same
// numbers.
inline std::string socket_name(std::string_view purpose, const std::string& proc, long number) {
  struct stat space {};
  const bool is_known = stat((proc + "/ns/pid").c_str(), &space) == 0;
  return std::string(purpose) + '.' + (is_known ? std::to_string(space.st_ino) : "") + '.' + std::to_string(number);
}

}  // namespace weir::platform
