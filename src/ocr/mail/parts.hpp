// SPDX-License-Identifier: Apache-2.0

// Parts: messages of any length in parts that the transport takes. Each part says of which message it is, how long that
// is, and where in it the part belongs; those of several messages may come mixed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "transport/transport.hpp"

namespace weir::ocr {

struct Part {
  std::uint64_t message = 0;  // the sender's number
  std::uint64_t total = 0, offset = 0;

  static constexpr std::size_t kMost = transport::Transport::kMaxMessage - 3 * sizeof(std::uint64_t);
};

// A message as its sender has it: two pieces, one behind the other.
struct Outgoing {
  std::span<const std::byte> head, body;

  std::size_t size() const noexcept { return head.size() + body.size(); }
  // What begins there, as long as there is room for.
  std::size_t copy(std::size_t offset, std::span<std::byte> to) const noexcept {
    std::size_t copied = 0;
    for (const std::span<const std::byte> piece : {head, body}) {
      const std::size_t skipped = std::min(offset, piece.size());
      const std::size_t count = std::min(piece.size() - skipped, to.size() - copied);
      if (count != 0) std::memcpy(to.data() + copied, piece.data() + skipped, count);
      copied += count;
      offset -= skipped;
    }
    return copied;
  }
};

// Calls send(bytes) for each part of a message, which has one at least.
template <class Send>
void for_each_part(std::uint64_t number, const Outgoing& message, Send&& send) {
  std::array<std::byte, transport::Transport::kMaxMessage> bytes;
  const std::span<std::byte> room = std::span(bytes).subspan(sizeof(Part));
  std::size_t offset = 0;
  do {
    const Part part{number, message.size(), offset};
    std::memcpy(bytes.data(), &part, sizeof part);
    const std::size_t count = message.copy(offset, room);
    send(std::span<const std::byte>(bytes).first(sizeof part + count));
    offset += count;
  } while (offset < message.size());
}

// Puts messages together again. One thread at a time.
class Assembly {
 public:
  // Calls take(number, message) with the message of which this was the last part.
  template <class Take>
  void add(Rank from, std::span<const std::byte> bytes, Take&& take) {
    Part part;
    std::memcpy(&part, bytes.data(), sizeof part);
    const std::span<const std::byte> piece = bytes.subspan(sizeof part);
    if (piece.size() == part.total) return take(part.message, piece);
    Open& open = open_[{from, part.message}];
    open.bytes.resize(part.total);
    std::memcpy(open.bytes.data() + part.offset, piece.data(), piece.size());
    if ((open.have += piece.size()) != part.total) return;
    const auto whole = open_.extract({from, part.message});
    take(part.message, std::span<const std::byte>(whole.mapped().bytes));
  }

 private:
  struct Open {
    std::vector<std::byte> bytes;
    std::size_t have = 0;
  };
  std::map<std::pair<Rank, std::uint64_t>, Open> open_;
};

}  // namespace weir::ocr
