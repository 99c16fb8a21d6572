// SPDX-License-Identifier: Apache-2.0

#include "transport/mpi/outbox.hpp"

#include <cstring>

#include "base/check.hpp"

namespace weir::transport::mpi {

Outbox::PacketPtr Outbox::take_packet() {
  if (spare_.empty()) return PacketPtr(new Packet);  // its bytes are written before they are read
  PacketPtr packet = std::move(spare_.back());
  spare_.pop_back();
  packet->used = 0;
  return packet;
}

void Outbox::give_back(Peer& peer, PacketPtr packet) {
  constexpr std::size_t kSpare = 64;
  peer.backlog -= packet->used;
  if (spare_.size() < kSpare) spare_.push_back(std::move(packet));
}

void Outbox::append(Rank to, const Record& record, std::span<const std::byte> payload) {
  WEIR_CHECK(record.bytes == payload.size() && size_of(record) <= kPacketBytes, "a record and its bytes fit a packet");
  Peer& peer = peers_[static_cast<std::size_t>(to)];
  if (peer.waiting.empty() || peer.waiting.back()->used + size_of(record) > kPacketBytes)
    peer.waiting.push_back(take_packet());
  Packet& packet = *peer.waiting.back();
  std::memcpy(packet.bytes.data() + packet.used, &record, sizeof record);
  if (!payload.empty()) std::memcpy(packet.bytes.data() + packet.used + sizeof record, payload.data(), payload.size());
  packet.used += size_of(record);
  peer.backlog += size_of(record);
  if (peer.is_busy) return;
  peer.is_busy = true;
  busy_.push_back(static_cast<std::uint32_t>(to));
}

void Outbox::pump_peer(int rank, Peer& peer, const std::function<void(const Failure&)>& failed) {
  while (!peer.underway.empty()) {
    WeirMpiOutcome outcome{};
    const int error = calls_.test(&peer.underway.front()->request, &outcome);
    if (error != 0) return failed({rank, error});
    if (outcome.done == 0) break;
    give_back(peer, std::move(peer.underway.front()));
    peer.underway.pop_front();
  }
  while (!peer.waiting.empty() && peer.underway.size() < kUnderWay) {
    Packet& packet = *peer.waiting.front();
    const int error =
        calls_.send(packet.bytes.data(), packet.used, rank, static_cast<int>(Tag::packet), &packet.request);
    if (error != 0) return failed({rank, error});
    peer.underway.push_back(std::move(peer.waiting.front()));
    peer.waiting.pop_front();
  }
}

void Outbox::pump(const std::function<void(const Failure&)>& failed) {
  for (std::size_t i = 0; i < busy_.size();) {
    const std::uint32_t rank = busy_[i];
    Peer& peer = peers_[rank];
    pump_peer(static_cast<int>(rank), peer, failed);
    if (peer.waiting.empty() && peer.underway.empty()) {
      peer.is_busy = false;
      busy_[i] = busy_.back();
      busy_.pop_back();
    } else {
      ++i;
    }
  }
}

// MPI may still read what is under way: those packets stay as they are until the end of the process.
void Outbox::drop(Rank to) {
  Peer& peer = peers_[static_cast<std::size_t>(to)];
  for (PacketPtr& packet : peer.underway) packet.release();  // NOLINT(bugprone-unused-return-value)
  peer.underway.clear();
  peer.waiting.clear();
  peer.backlog = 0;
}

}  // namespace weir::transport::mpi
