// SPDX-License-Identifier: Apache-2.0

// Ring: messages from one rank to another, in order, through memory that both map.
//
// One sender and one receiver at a time; each may be another thread from call to call, if those are ordered. A record
// is its head and the bytes of the message, rounded up to 8, and lies in one piece: where the ring's end is too near,
// the sender fills it with a record that says nothing. Protocol: docs/protocols/transport.md, RING-1 and RING-2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/check.hpp"
#include "transport/shared/layout.hpp"

namespace weir::transport::shared {

class Ring {
 public:
  // `bytes`: a power of two.
  Ring(RingEnds& ends, std::byte* data, std::uint32_t bytes) noexcept : ends_(ends), data_(data), bytes_(bytes) {}

  // The sender. False: there is no room yet. `taken`: what senders have last seen of what the receiver has taken, 0 at
  // first: they look again, at a line that the receiver writes, when that leaves no room.
  [[nodiscard]] bool try_write(std::uint16_t handler, std::span<const std::byte> message,
                               std::uint64_t& taken) noexcept;
  // The sender, when there was no room: from now on the receiver tells when there is more. Try once more afterwards.
  void ask_for_room() noexcept { ends_.is_full.store(1); }  // ROOM-1: before the sender's last try
  bool is_room_asked_for() const noexcept { return ends_.is_full.load() != 0; }

  // The receiver. Calls take(handler, bytes) for the oldest message; false: there is none. Its bytes are valid until
  // take() returns.
  template <class Take>
  bool read(Take take);
  // The receiver, before it takes the ring's bit (MAIL-1): what it will read is under way meanwhile.
  void prefetch_to_read() const noexcept {
    __builtin_prefetch(&ends_.written);
    __builtin_prefetch(place(ends_.taken.load(std::memory_order_relaxed)));  // only the receiver writes it
  }
  bool is_empty() const noexcept {
    return ends_.written.load(std::memory_order_acquire) == ends_.taken.load(std::memory_order_relaxed);  // RING-1
  }
  // The receiver: true, once, when the sender waits for the room that there is now.
  bool is_room_wanted() noexcept { return ends_.is_full.load() != 0 && ends_.is_full.exchange(0) != 0; }  // ROOM-1

 private:
  struct Record {
    static constexpr std::uint16_t kNothing = 0xffff;  // instead of a handler
    std::uint32_t bytes;                               // of the message; of what is skipped
    std::uint16_t handler;
    std::uint16_t unused;
  };

  static constexpr std::size_t room_for(std::size_t bytes) noexcept { return (sizeof(Record) + bytes + 7) / 8 * 8; }
  std::byte* place(std::uint64_t at) const noexcept { return data_ + (at & (bytes_ - 1)); }

  RingEnds& ends_;
  std::byte* data_;
  std::uint32_t bytes_;
};

inline bool Ring::try_write(std::uint16_t handler, std::span<const std::byte> message, std::uint64_t& taken) noexcept {
  std::uint64_t at = ends_.written.load(std::memory_order_relaxed);  // only the sender writes it
  const std::size_t needed = room_for(message.size());
  const std::size_t to_end = bytes_ - (at & (bytes_ - 1));
  const std::size_t skipped = to_end < needed ? to_end : 0;
  if (at + skipped + needed - taken > bytes_) {
    taken = ends_.taken.load();  // RING-2: the receiver has done with what was there. ROOM-1: after ask_for_room().
    if (at + skipped + needed - taken > bytes_) return false;
  }
  if (skipped != 0) {
    const Record nothing{static_cast<std::uint32_t>(skipped - sizeof(Record)), Record::kNothing, 0};
    std::memcpy(place(at), &nothing, sizeof nothing);
    at += skipped;
  }
  const Record record{static_cast<std::uint32_t>(message.size()), handler, 0};
  std::memcpy(place(at), &record, sizeof record);
  if (!message.empty()) std::memcpy(place(at) + sizeof record, message.data(), message.size());
  ends_.written.store(at + needed, std::memory_order_release);  // RING-1: publishes the records
  return true;
}

template <class Take>
bool Ring::read(Take take) {
  std::uint64_t at = ends_.taken.load(std::memory_order_relaxed);  // only the receiver writes it
  for (;;) {
    if (ends_.written.load(std::memory_order_acquire) == at) return false;  // RING-1
    Record record;
    std::memcpy(&record, place(at), sizeof record);
    const std::byte* const bytes = place(at) + sizeof record;
    at += room_for(record.bytes);
    if (record.handler != Record::kNothing) {
      take(record.handler, std::span(bytes, record.bytes));
      ends_.taken.store(at);  // RING-2: gives the room back; ROOM-1: before the receiver asks who wants it
      return true;
    }
    ends_.taken.store(at);  // RING-2, ROOM-1
  }
}

}  // namespace weir::transport::shared
