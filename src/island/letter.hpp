// SPDX-License-Identifier: Apache-2.0

// Letter: a message from one process to another through memory that their caches do not keep coherent.
//
// One sender and one receiver. The sender fills payload() and posts it under a number; the receiver looks for that
// number. Whoever sends again must know that the letter was taken: the receiver says so in a letter of its own, which
// it alone writes. So each line has one writer. Protocol: docs/protocols/letters.md.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/check.hpp"
#include "island/memory.hpp"

namespace weir::island {

// kBytes: of the whole letter, a multiple of a line.
template <std::size_t kBytes>
class Letter {
  static_assert(kBytes >= kLine && kBytes % kLine == 0, "a letter is whole lines of cache");

 public:
  static constexpr std::size_t kPayload = kBytes - 2 * sizeof(std::uint32_t);

  // ---- The sender ----
  std::span<std::byte, kPayload> payload() noexcept { return payload_; }
  // The first `length` bytes of the payload, under a number other than the last one's. That of a letter never posted is
  // 0: begin with another. Numbers may wrap around.
  void post(Memory& memory, std::uint32_t number, std::size_t length) noexcept;

  // ---- When one of the two has ended ----
  // The number and the bytes of the last letter that is in memory; the sender writes none meanwhile.
  struct Last {
    std::uint32_t number;
    std::span<const std::byte> bytes;
  };
  Last look(Memory& memory) noexcept {
    memory.invalidate(this, kLine);
    const std::uint32_t number = number_.load(std::memory_order_acquire);  // MPB-1
    if (beyond(length_) != 0) memory.invalidate(second_line(), beyond(length_));
    return {number, std::span<const std::byte>(payload_.data(), length_)};
  }

  // ---- The receiver ----
  // Nothing when the letter with that number is not there yet. The bytes stay until the sender knows that it may write
  // again.
  std::optional<std::span<const std::byte>> take(Memory& memory, std::uint32_t number) noexcept;

 private:
  static constexpr std::size_t kHead = kBytes - kPayload;
  // Of the lines behind the first.
  static constexpr std::size_t beyond(std::size_t length) noexcept {
    return kHead + length > kLine ? kHead + length - kLine : 0;
  }
  const std::byte* second_line() const noexcept { return payload_.data() + (kLine - kHead); }

  // All written by the sender. The number is in the first line's first word.
  alignas(kLine) std::atomic<std::uint32_t> number_{0};
  std::uint32_t length_ = 0;
  std::array<std::byte, kPayload> payload_{};
};

template <std::size_t kBytes>
void Letter<kBytes>::post(Memory& memory, std::uint32_t number, std::size_t length) noexcept {
  static_assert(sizeof(Letter) == kBytes, "a letter is its lines");
  WEIR_CHECK(length <= kPayload, "a letter longer than its payload");
  // Relaxed: only the sender writes it.
  WEIR_ASSERT(number != number_.load(std::memory_order_relaxed), "a letter under the number of the last one");
  length_ = static_cast<std::uint32_t>(length);
  // MPB-2: the lines behind the first are in memory before the number is anywhere; pairs with take().
  if (beyond(length) != 0) memory.write_back(second_line(), beyond(length));
  // MPB-1: the number is written last, so that the first line is whole whenever it reaches memory; pairs with take().
  number_.store(number, std::memory_order_release);
  memory.write_back(this, kLine);
}

template <std::size_t kBytes>
std::optional<std::span<const std::byte>> Letter<kBytes>::take(Memory& memory, std::uint32_t number) noexcept {
  memory.invalidate(this, kLine);
  if (number_.load(std::memory_order_acquire) != number) return std::nullopt;  // MPB-1
  const std::size_t length = length_;
  WEIR_CHECK(length <= kPayload, "a letter that its sender did not write");
  // MPB-2: only now; the cache may have read these lines before the sender wrote them.
  if (beyond(length) != 0) memory.invalidate(second_line(), beyond(length));
  return std::span<const std::byte>(payload_.data(), length);
}

}  // namespace weir::island
