// SPDX-License-Identifier: Apache-2.0

// Outbox: the records that wait to be sent to other ranks, and the packets that MPI is sending.
//
// While few packets to a rank are under way, a record goes at the next pump(); while many are, records gather to full
// packets. The link's mutex guards it.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "transport/mpi/calls.h"
#include "transport/mpi/failure.hpp"
#include "transport/mpi/wire.hpp"

namespace weir::transport::mpi {

class Outbox {
 public:
  Outbox(const WeirMpiCalls& calls, std::uint32_t ranks) : calls_(calls), peers_(ranks) {}

  // Copies it; record.bytes must be payload.size().
  void append(Rank to, const Record& record, std::span<const std::byte> payload = {});
  // Sends what may go, and takes back what was sent.
  void pump(const std::function<void(const Failure&)>& failed);
  // Bytes for a rank that MPI has not sent.
  std::size_t backlog(Rank to) const { return peers_[static_cast<std::size_t>(to)].backlog; }
  bool is_empty() const noexcept { return busy_.empty(); }
  // What waits for a rank that is gone goes nowhere.
  void drop(Rank to);

 private:
  static constexpr std::size_t kUnderWay = 4;  // packets to one rank that MPI has

  struct Packet {
    std::size_t used = 0;
    WeirMpiRequest request{};
    alignas(kRecordAlign) std::array<std::byte, kPacketBytes> bytes;
  };
  using PacketPtr = std::unique_ptr<Packet>;
  struct Peer {
    std::deque<PacketPtr> waiting;   // the last one is not full
    std::deque<PacketPtr> underway;  // in the order in which they went
    std::size_t backlog = 0;
    bool is_busy = false;  // is in busy_
  };

  PacketPtr take_packet();
  void give_back(Peer& peer, PacketPtr packet);
  void pump_peer(int rank, Peer& peer, const std::function<void(const Failure&)>& failed);

  const WeirMpiCalls& calls_;
  std::vector<Peer> peers_;
  std::vector<std::uint32_t> busy_;  // ranks with something waiting or under way
  std::vector<PacketPtr> spare_;
};

}  // namespace weir::transport::mpi
