// SPDX-License-Identifier: Apache-2.0

// What ranks of different hosts send one another: packets of records, each a head and as many bytes as it says.
//
// Records from one rank to another are handled in order. Large bytes go by a message of their own, which a record
// announces. All ranks are of one kind of machine: numbers go as they lie in memory, pointers of a rank as numbers that
// only that rank makes use of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "transport/transport.hpp"

namespace weir::transport::mpi {

enum class Kind : std::uint8_t {
  message,    // for a handler, with its bytes
  credit,     // `count` messages were handled
  put,        // with its bytes
  put_large,  // `operand` bytes follow with Tag::put
  get,        // `operand` bytes are asked for
  got,        // with the bytes
  get_large,  // `operand` bytes are asked for, to be sent with Tag::get
  atomic,
  fetched,  // `operand`: the old value
  done,     // `count` puts and atomics that fetch nothing are done; `operand` is not 0: one large put
  lost      // `count`: the rank that is
};

// Of MPI's messages.
enum class Tag : int { packet = 1, put, get };

struct Record {
  Kind kind{};
  AtomicOp op{};
  AtomicWidth width{};
  std::uint16_t number = 0;   // of a region or a handler
  std::uint16_t channel = 0;  // of the rank that asks
  std::uint32_t bytes = 0;    // that follow, without those that fill up to kRecordAlign
  std::uint32_t count = 0;
  std::uint64_t offset = 0;
  std::uint64_t operand = 0, expected = 0;
  std::uint64_t to = 0;       // where the rank that asks wants it
  std::uint64_t waiting = 0;  // the counter that the rank that asks watches; 0: none
};
static_assert(sizeof(Record) == 56);

constexpr std::size_t kRecordAlign = 8;
constexpr std::size_t kPacketBytes = 32 << 10;
// More goes by a message of its own: then copying costs more than a message.
constexpr std::size_t kInlineBytes = 16 << 10;
// Of a message: MPI counts in int, and lengths near its limit are known to be trouble.
constexpr std::uint64_t kChunkBytes = 1 << 30;
// Messages to a rank that it has not handled.
constexpr std::uint32_t kWindow = 64;

constexpr std::size_t padded(std::size_t bytes) noexcept {
  return (bytes + kRecordAlign - 1) / kRecordAlign * kRecordAlign;
}
constexpr std::size_t size_of(const Record& record) noexcept { return sizeof(Record) + padded(record.bytes); }
static_assert(sizeof(Record) + kInlineBytes <= kPacketBytes && Transport::kMaxMessage <= kInlineBytes);

}  // namespace weir::transport::mpi
