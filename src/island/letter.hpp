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
  // The first `length` bytes of the payload, under a number other than the last one's. 0 is the number of no letter.
  void post(Memory& memory, std::uint32_t number, std::size_t length) noexcept;

  // ---- The receiver ----
  // Nothing when the letter with that number is not there yet. The bytes stay until the sender knows that it may write
  // again.
  std::optional<std::span<const std::byte>> take(Memory& memory, std::uint32_t number) noexcept;

 private:
  alignas(kLine) std::atomic<std::uint32_t> number_{0};
  std::uint32_t length_ = 0;
  std::array<std::byte, kPayload> payload_{};
};

}  // namespace weir::island
