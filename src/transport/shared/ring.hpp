// SPDX-License-Identifier: Apache-2.0

// Ring: messages from one rank to another, in order, through memory that both map.
//
// One sender and one receiver at a time; each may be another thread from call to call, if those are ordered. A record
// is its head and the bytes of the message, rounded up to whole lines of cache, and lies in one piece: where the ring's
// end is too near, the sender fills it with a record that says nothing. A head that is not 0 is what says that a record
// is there, so that a short message is one line that goes from core to core. Protocol: docs/protocols/transport.md,
// RING-1 and RING-2.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "platform/prefetch.hpp"
#include "transport/shared/layout.hpp"

namespace weir::transport::shared {

class Ring {
 public:
  // What the sending process keeps of it, as counts of bytes since the start; who sends may change it.
  struct Sent {
    std::uint64_t written = 0;
    std::uint64_t taken = 0;  // as was last seen of what the receiver has taken: it may be more by now
  };

  // `bytes`: a power of two, and 0 all of them at the start.
  Ring(RingEnd& end, std::byte* data, std::uint32_t bytes) noexcept : end_(&end), data_(data), bytes_(bytes) {}

  // The sender. False: there is no room yet. MAIL-1: sequentially consistent, as what it asks next of the receiver is.
  [[nodiscard]] bool try_write(std::uint16_t handler, std::span<const std::byte> message, Sent& sent) noexcept;
  // The sender, when there was no room: from now on the receiver tells when there is more. Try once more afterwards.
  void ask_for_room() noexcept { end_->is_full.store(1); }  // ROOM-1: before the sender's last try
  bool is_room_asked_for() const noexcept { return end_->is_full.load() != 0; }
  // The sender, before it writes: the line that it writes first, which the receiver looks at, is on its way meanwhile.
  void prefetch_to_write(const Sent& sent) const noexcept { platform::prefetch_to_write(place(sent.written)); }

  // The receiver. Calls take(handler, bytes) for the oldest message; false: there is none. Its bytes are valid until
  // take() returns.
  template <class Take>
  bool read(Take take);
  // The receiver, before it takes the ring's bit (MAIL-1): what it will read is under way meanwhile.
  void prefetch_to_read() const noexcept {
    __builtin_prefetch(place(end_->taken.load(std::memory_order_relaxed)));  // only the receiver writes it
  }
  // Any thread of the receiver; while another one reads, an empty one may be said not to be. MAIL-1: sequentially
  // consistent, as what the receiver has said before is.
  bool is_empty() const noexcept {
    const std::uint64_t taken = end_->taken.load();
    return head_at(taken).load() == 0 && end_->taken.load() == taken;  // RING-3
  }
  // The receiver: true, once, when the sender waits for the room that there is now.
  bool is_room_wanted() noexcept { return end_->is_full.load() != 0 && end_->is_full.exchange(0) != 0; }  // ROOM-1

 private:
  // Of a record: how long its message is, or what is skipped, and the handler's number. In one word, never 0.
  class Head {
   public:
    static constexpr std::uint16_t kNothing = 0xffff;  // instead of a handler
    Head(std::size_t bytes, std::uint16_t handler) noexcept
        : word_(std::uint64_t{bytes} << 32 | std::uint64_t{handler} << 16 | 1) {}
    explicit Head(std::uint64_t word) noexcept : word_(word) {}
    std::uint64_t word() const noexcept { return word_; }
    std::size_t bytes() const noexcept { return word_ >> 32; }
    std::uint16_t handler() const noexcept { return static_cast<std::uint16_t>(word_ >> 16); }

   private:
    std::uint64_t word_;
  };
  static constexpr std::size_t kLine = 64;
  static constexpr std::size_t room_for(std::size_t bytes) noexcept {
    return (sizeof(Head) + bytes + kLine - 1) / kLine * kLine;
  }
  std::byte* place(std::uint64_t at) const noexcept { return data_ + (at & (bytes_ - 1)); }
  std::atomic_ref<std::uint64_t> head_at(std::uint64_t at) const noexcept {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(place(at)));
  }
  void copy(std::uint64_t at, std::span<const std::byte> message) const noexcept;

  RingEnd* end_;
  std::byte* data_;
  std::uint32_t bytes_;
};

// Behind the record's head. A line's first word is where another thread of the receiver may just now look for a head
// (RING-3).
inline void Ring::copy(std::uint64_t at, std::span<const std::byte> message) const noexcept {
  std::size_t in_line = std::min(message.size(), kLine - sizeof(Head));
  if (in_line != 0) std::memcpy(place(at) + sizeof(Head), message.data(), in_line);
  while (!(message = message.subspan(in_line)).empty()) {
    at += kLine;
    std::uint64_t word = 0;
    std::memcpy(&word, message.data(), std::min(message.size(), sizeof word));
    head_at(at).store(word, std::memory_order_relaxed);  // relaxed: published by the record's head
    in_line = std::min(message.size(), kLine);
    if (in_line > sizeof word)
      std::memcpy(place(at) + sizeof word, message.data() + sizeof word, in_line - sizeof word);
  }
}

// The head behind the last record is 0, always: it is, and has room, before the record is there to be read.
inline bool Ring::try_write(std::uint16_t handler, std::span<const std::byte> message, Sent& sent) noexcept {
  const std::size_t needed = room_for(message.size());
  const std::size_t to_end = bytes_ - (sent.written & (bytes_ - 1));
  const std::size_t skipped = to_end < needed ? to_end : 0;
  const std::uint64_t first = sent.written, at = first + skipped, next = at + needed;
  if (next + sizeof(Head) - sent.taken > bytes_) {
    sent.taken = end_->taken.load();  // RING-2: the receiver has done with what was there. ROOM-1: after ask_for_room()
    if (next + sizeof(Head) - sent.taken > bytes_) return false;
  }
  copy(at, message);
  head_at(next).store(0, std::memory_order_relaxed);  // relaxed, as the next: published by the first head
  const Head head(message.size(), handler);
  if (skipped != 0) head_at(at).store(head.word(), std::memory_order_relaxed);
  head_at(first).store(skipped == 0 ? head.word() : Head(skipped - sizeof(Head), Head::kNothing).word());  // RING-1
  sent.written = next;
  platform::prefetch_to_write(place(next + kLine));  // the receiver has had it since the ring was last passed
  return true;
}

template <class Take>
bool Ring::read(Take take) {
  std::uint64_t at = end_->taken.load(std::memory_order_relaxed);  // only the receiver writes it
  for (;;) {
    const std::uint64_t word = head_at(at).load(std::memory_order_acquire);  // RING-1
    if (word == 0) return false;
    const Head head(word);
    const std::byte* const bytes = place(at) + sizeof head;
    at += room_for(head.bytes());
    if (head.handler() != Head::kNothing) {
      __builtin_prefetch(place(at));  // where it looks next, and the sender has just written a 0
      take(head.handler(), std::span(bytes, head.bytes()));
      end_->taken.store(at);  // RING-2: gives the room back; ROOM-1: before the receiver asks who wants it
      return true;
    }
    end_->taken.store(at);  // RING-2, ROOM-1
  }
}

}  // namespace weir::transport::shared
