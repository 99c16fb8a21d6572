// SPDX-License-Identifier: Apache-2.0

// Sockets: the ways by which rank 0 of a host sends descriptors to the others, and what the others say at the start.
//
// Connected once, by an abstract Unix socket: a name that is in no file system, is gone with its process, and is known
// in one network namespace only, so that containers do not meet by chance. One thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "platform/process.hpp"

namespace weir::transport::shared {

using Deadline = std::chrono::steady_clock::time_point;

// One message; a descriptor may go with it.
struct Packet {
  static constexpr std::uint64_t kMagic = 0x77656972'73686d31;  // "weirshm1"
  std::uint64_t magic = kMagic;
  std::uint32_t rank = 0, ranks = 0;
  std::uint32_t code = 0;  // base::Code
  char text[236] = {};
};

class Sockets {
 public:
  Sockets() = default;  // of one rank, which needs none

  // Rank 0: until all others have come. The others: until rank 0 has accepted them. bad_option when ranks contradict
  // one another, lost when one does not come in time; the message says which.
  static base::Result<Sockets> connect(const std::string& job, Rank rank, std::uint32_t ranks, Deadline deadline);

  // Rank 0, to another one, and the other one, to rank 0.
  base::Status send(Rank to, const Packet& packet, int descriptor = -1);
  // The next packet from that rank; lost when its process ends, or at the deadline. A descriptor that came with it is
  // put into *descriptor.
  base::Result<Packet> receive(Rank from, Deadline deadline, platform::Descriptor* descriptor = nullptr);

 private:
  explicit Sockets(std::uint32_t ranks) : to_(ranks) {}
  base::Status accept_all(const std::string& job, Deadline deadline);
  base::Status accept_one(const platform::Descriptor& listener, Deadline deadline);
  void tell_all(const platform::Descriptor& listener, const base::Status& verdict);
  base::Status reach_first(const std::string& job, Rank rank, Deadline deadline);
  // False: none has come in time.
  bool comes_one(const platform::Descriptor& listener, const std::string& job, Deadline deadline) const;
  std::string missing() const;
  base::Status absent(const std::string& job) const;

  std::vector<platform::Descriptor> to_;       // by rank; rank 0 has all, the others that of rank 0
  std::vector<platform::Descriptor> refused_;  // of rank 0: they are told why
};

}  // namespace weir::transport::shared
