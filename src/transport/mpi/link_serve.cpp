// SPDX-License-Identifier: Apache-2.0

// What a rank does with the records that come to it: others' operations on its memory, and the ends of its own.
#include <fmt/format.h>

#include <cstring>
#include <string>

#include "base/check.hpp"
#include "transport/atomic.hpp"
#include "transport/mpi/copy_words.hpp"
#include "transport/mpi/link.hpp"

namespace weir::transport::mpi {

void Link::take(Rank from, std::span<const std::byte> packet) {
  if (is_lost_[static_cast<std::size_t>(from)]) return;
  while (!packet.empty()) {
    Record record;
    WEIR_CHECK(packet.size() >= sizeof record, "a packet has whole records");
    std::memcpy(&record, packet.data(), sizeof record);
    WEIR_CHECK(packet.size() >= size_of(record), "a packet has whole records");
    take_record(from, record, packet.subspan(sizeof record, record.bytes));
    packet = packet.subspan(size_of(record));
  }
  send_done();
}

void Link::take_record(Rank from, const Record& record, std::span<const std::byte> bytes) {
  switch (record.kind) {
    case Kind::message: return mail_->arrived({from, record.number, {bytes.begin(), bytes.end()}});
    case Kind::credit: return mail_->credit(from, record.count);
    case Kind::put:
      copy_words(memory(record.number, record.offset, bytes.size()), bytes.data(), bytes.size());
      return owe_done(from, record.channel);
    case Kind::put_large: return serve_put_large(from, record);
    case Kind::get:
    case Kind::get_large: return serve_get(from, record);
    case Kind::atomic: return serve_atomic(from, record);
    case Kind::got: return end_get(from, record, bytes);
    case Kind::fetched:
      if (Pending* of = pending(record.channel); of != nullptr) {
        *reinterpret_cast<std::uint64_t*>(record.to) = record.operand;
        if (record.waiting != 0) --*reinterpret_cast<std::uint32_t*>(record.waiting);
        of->ended(from, 1);
      }
      return;
    case Kind::done:
      if (Pending* of = pending(record.channel); of != nullptr) {
        if (record.operand != 0) return of->ended_large(from);
        of->ended(from, record.count);
      }
      return;
    case Kind::lost:
      return note_lost(static_cast<Rank>(record.count),
                       std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  WEIR_CHECK(false, "a record of a kind that there is not: the ranks run different versions of Weir");
}

// Regions are alike on all ranks, so that the one that asks looks here, too.
std::byte* Link::memory(std::uint16_t number, std::uint64_t offset, std::uint64_t bytes) {
  WEIR_CHECK(number < regions_.size() && regions_[number].data != nullptr,
             "an operation on a region that is not there, or not any more");
  const Memory& region = regions_[number];
  WEIR_CHECK(offset <= region.size && bytes <= region.size - offset, "an operation beyond the end of its region");
  return region.data + offset;
}

Pending* Link::pending(std::uint16_t id) { return id < pending_.size() ? pending_[id].get() : nullptr; }

// Those of one channel in a packet are told together.
void Link::owe_done(Rank to, std::uint16_t channel) {
  if (owed_.count != 0 && (owed_.to != to || owed_.channel != channel)) send_done();
  owed_ = {to, channel, owed_.count + 1};
}

void Link::send_done() {
  if (owed_.count == 0) return;
  Record record{.kind = Kind::done, .channel = owed_.channel};
  record.count = owed_.count;
  outbox_->append(owed_.to, record);
  owed_.count = 0;
}

void Link::serve_put_large(Rank from, const Record& record) {
  const auto then = [this, from, channel = record.channel]() WEIR_REQUIRES(mutex_) {
    Record done{.kind = Kind::done, .channel = channel};
    done.count = 1;
    done.operand = 1;  // a large one
    outbox_->append(from, done);
  };
  const int error =
      transfers_.receive(from, Tag::put, memory(record.number, record.offset, record.operand), record.operand, then);
  if (error != 0) failed({static_cast<int>(from), error});
}

void Link::serve_get(Rank from, const Record& record) {
  const std::byte* const source = memory(record.number, record.offset, record.operand);
  if (record.kind == Kind::get_large) {
    const int error = transfers_.send(from, Tag::get, source, record.operand, [] {});
    if (error != 0) failed({static_cast<int>(from), error});
    return;
  }
  Record reply = record;
  reply.kind = Kind::got;
  reply.bytes = static_cast<std::uint32_t>(record.operand);
  alignas(kRecordAlign) std::byte bytes[kInlineBytes];
  copy_words(bytes, source, record.operand);  // a word that changes meanwhile is read whole
  outbox_->append(from, reply, std::span<const std::byte>(bytes, record.operand));
}

void Link::serve_atomic(Rank from, const Record& record) {
  std::byte* const word = memory(record.number, record.offset, bytes_of(record.width));
  const std::uint64_t old = apply_atomic(word, record.op, record.width, record.operand, record.expected);
  if (!fetches(record.op)) return owe_done(from, record.channel);
  Record reply = record;
  reply.kind = Kind::fetched;
  reply.operand = old;
  outbox_->append(from, reply);
}

void Link::end_get(Rank from, const Record& record, std::span<const std::byte> bytes) {
  Pending* const of = pending(record.channel);
  if (of == nullptr) return;
  std::memcpy(reinterpret_cast<std::byte*>(record.to), bytes.data(), bytes.size());
  if (record.waiting != 0) --*reinterpret_cast<std::uint32_t*>(record.waiting);
  of->ended(from, 1);
}

}  // namespace weir::transport::mpi
