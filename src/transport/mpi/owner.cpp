// SPDX-License-Identifier: Apache-2.0

#include "transport/mpi/owner.hpp"

#include "base/check.hpp"
#include "transport/atomic.hpp"
#include "transport/mpi/copy_words.hpp"

namespace weir::transport::mpi {

int Owner::serve(Rank from, const Record& record, std::span<const std::byte> bytes) {
  switch (record.kind) {
    case Kind::put:
      copy_words(regions_.at(record.number, record.offset, bytes.size()), bytes.data(), bytes.size());
      owe_done(from, record.channel);
      return 0;
    case Kind::put_large: return serve_put_large(from, record);
    case Kind::get: serve_get(from, record); return 0;
    case Kind::get_large: return serve_get_large(from, record);
    case Kind::atomic: serve_atomic(from, record); return 0;
    default: WEIR_CHECK(false, "an owner serves puts, gets and atomics"); return 0;
  }
}

// Those of one channel in a packet are told together.
void Owner::owe_done(Rank to, std::uint16_t channel) {
  if (owed_.count != 0 && (owed_.to != to || owed_.channel != channel)) send_done();
  owed_ = {to, channel, owed_.count + 1};
}

void Owner::send_done() {
  if (owed_.count == 0) return;
  Record record{.kind = Kind::done, .channel = owed_.channel};
  record.count = owed_.count;
  outbox_.append(owed_.to, record);
  owed_.count = 0;
}

// LINK-2: receives of a tag are posted in the order in which the records have come.
int Owner::serve_put_large(Rank from, const Record& record) {
  std::byte* const target = regions_.at(record.number, record.offset, record.operand);
  return transfers_.receive(from, Tag::put, target, record.operand, [this, from, channel = record.channel] {
    Record done{.kind = Kind::done, .channel = channel};
    done.count = 1;
    done.operand = 1;  // a large one
    outbox_.append(from, done);
  });
}

int Owner::serve_get_large(Rank from, const Record& record) {
  const std::byte* const source = regions_.at(record.number, record.offset, record.operand);
  return transfers_.send(from, Tag::get, source, record.operand, [] {});
}

void Owner::serve_get(Rank from, const Record& record) {
  const std::byte* const source = regions_.at(record.number, record.offset, record.operand);
  Record reply = record;
  reply.kind = Kind::got;
  reply.bytes = static_cast<std::uint32_t>(record.operand);
  alignas(kRecordAlign) std::byte bytes[kInlineBytes];
  copy_words(bytes, source, record.operand);  // a word that changes meanwhile is read whole
  outbox_.append(from, reply, std::span<const std::byte>(bytes, record.operand));
}

void Owner::serve_atomic(Rank from, const Record& record) {
  std::byte* const word = regions_.at(record.number, record.offset, bytes_of(record.width));
  const std::uint64_t old = apply_atomic(word, record.op, record.width, record.operand, record.expected);
  if (!fetches(record.op)) return owe_done(from, record.channel);
  Record reply = record;
  reply.kind = Kind::fetched;
  reply.operand = old;
  outbox_.append(from, reply);
}

}  // namespace weir::transport::mpi
