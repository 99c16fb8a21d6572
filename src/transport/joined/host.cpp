// SPDX-License-Identifier: Apache-2.0

#include "transport/joined/host.hpp"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "base/check.hpp"

namespace weir::transport::joined {
namespace {

std::uint64_t number_of_namespace(const char* file) {
  struct stat status {};
  return stat(file, &status) == 0 ? status.st_ino : 0;
}

std::string boot() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id;
}

std::string host_name() {
  char name[65] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

// Abstract sockets, by which neighbours meet, belong to a namespace of the network; process numbers, by which they
// watch one another, to one of processes.
HostMark own_mark() {
  HostMark mark;
  fmt::format_to_n(mark.place.data(), mark.place.size(), "{} {} {} {} {}", boot(), getuid(),
                   number_of_namespace("/proc/self/ns/net"), number_of_namespace("/proc/self/ns/pid"), host_name());
  WEIR_CHECK(getrandom(&mark.nonce, sizeof mark.nonce, 0) == sizeof mark.nonce, "the kernel gives random bytes");
  return mark;
}

std::vector<Rank> neighbours_of(Rank rank, std::span<const HostMark> marks) {
  std::vector<Rank> result;
  const auto& place = marks[static_cast<std::size_t>(rank)].place;
  for (std::uint32_t other = 0; other < marks.size(); ++other)
    if (marks[other].place == place) result.push_back(Rank{other});
  return result;
}

}  // namespace weir::transport::joined
