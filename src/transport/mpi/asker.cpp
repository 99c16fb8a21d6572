// SPDX-License-Identifier: Apache-2.0

#include "transport/mpi/asker.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "transport/atomic.hpp"

namespace weir::transport::mpi {
namespace {

Record record_of(Kind kind, const Location& where, const Pending& pending) {
  Record record{.kind = kind, .number = static_cast<std::uint16_t>(where.region), .channel = pending.id()};
  record.offset = where.offset;
  return record;
}

std::uint64_t number_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

int Asker::put(Pending& pending, Location to, const std::byte* from, std::size_t bytes, std::uint32_t* left) {
  static_cast<void>(regions_.at(static_cast<std::uint16_t>(to.region), to.offset, bytes));
  if (bytes > kInlineBytes) return put_large(pending, to, from, bytes, left);
  Record record = record_of(Kind::put, to, pending);
  record.bytes = static_cast<std::uint32_t>(bytes);
  pending.issued(to.rank);
  outbox_.append(to.rank, record, {from, bytes});
  return 0;
}

// LINK-2: the messages of a tag go in the order of the records that announce them.
int Asker::put_large(Pending& pending, Location to, const std::byte* from, std::size_t bytes, std::uint32_t* left) {
  while (bytes != 0) {
    const std::uint64_t part = std::min<std::uint64_t>(bytes, kChunkBytes);
    Record record = record_of(Kind::put_large, to, pending);
    record.operand = part;
    const int error = transfers_.send(to.rank, Tag::put, from, part, [left] {
      if (left != nullptr) --*left;
    });
    if (error != 0) return error;
    if (left != nullptr) ++*left;
    pending.issued_large(to.rank);
    outbox_.append(to.rank, record);
    from += part;
    to.offset += part;
    bytes -= part;
  }
  return 0;
}

int Asker::get(Pending& pending, std::byte* to, Location from, std::size_t bytes, std::uint32_t* left) {
  static_cast<void>(regions_.at(static_cast<std::uint16_t>(from.region), from.offset, bytes));
  for (std::uint64_t part = 0; bytes != 0; to += part, from.offset += part, bytes -= part) {
    part = std::min<std::uint64_t>(bytes, kChunkBytes);
    Record record = record_of(part > kInlineBytes ? Kind::get_large : Kind::get, from, pending);
    record.operand = part;
    record.to = number_of(to);
    record.waiting = number_of(left);
    if (record.kind == Kind::get_large) {
      if (const int error = receive_large(record, from.rank, to, left); error != 0) return error;
    }
    if (left != nullptr) ++*left;
    pending.issued(from.rank);
    outbox_.append(from.rank, record);
  }
  return 0;
}

int Asker::receive_large(const Record& record, Rank from, std::byte* to, std::uint32_t* left) {
  return transfers_.receive(from, Tag::get, to, record.operand, [this, id = record.channel, from, left] {
    if (left != nullptr) --*left;
    if (Pending* of = pending_.find(id); of != nullptr) of->ended(from, 1);
  });
}

void Asker::atomic(Pending& pending, Location at, const Atomic& atomic, std::uint64_t* old, std::uint32_t* left) {
  static_cast<void>(regions_.at(static_cast<std::uint16_t>(at.region), at.offset, bytes_of(atomic.width)));
  Record record = record_of(Kind::atomic, at, pending);
  record.op = atomic.op;
  record.width = atomic.width;
  record.operand = atomic.operand;
  record.expected = atomic.expected;
  record.to = number_of(old);
  record.waiting = number_of(left);
  if (left != nullptr) ++*left;
  pending.issued(at.rank);
  outbox_.append(at.rank, record);
}

void Asker::take_answer(Rank from, const Record& record, std::span<const std::byte> bytes) {
  Pending* const of = pending_.find(record.channel);
  if (of == nullptr) return;
  if (record.kind == Kind::done) return record.operand != 0 ? of->ended_large(from) : of->ended(from, record.count);
  WEIR_CHECK(record.kind == Kind::got || record.kind == Kind::fetched, "an answer is got, fetched or done");
  if (record.kind == Kind::got)
    std::memcpy(reinterpret_cast<std::byte*>(record.to), bytes.data(), bytes.size());
  else
    *reinterpret_cast<std::uint64_t*>(record.to) = record.operand;
  if (record.waiting != 0) --*reinterpret_cast<std::uint32_t*>(record.waiting);
  of->ended(from, 1);
}

}  // namespace weir::transport::mpi
