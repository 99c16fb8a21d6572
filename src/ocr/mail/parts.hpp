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
#include <optional>
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

// Calls send(bytes) for each part of a message, which has one at least.
template <class Send>
void for_each_part(std::uint64_t number, std::span<const std::byte> message, Send&& send) {
  std::array<std::byte, transport::Transport::kMaxMessage> bytes;
  std::size_t offset = 0;
  do {
    const std::span<const std::byte> piece = message.subspan(offset, std::min(Part::kMost, message.size() - offset));
    const Part part{number, message.size(), offset};
    std::memcpy(bytes.data(), &part, sizeof part);
    if (!piece.empty()) std::memcpy(bytes.data() + sizeof part, piece.data(), piece.size());
    send(std::span<const std::byte>(bytes).first(sizeof part + piece.size()));
    offset += piece.size();
  } while (offset < message.size());
}

// Puts messages together again. One thread at a time.
class Assembly {
 public:
  // The message of which this was the last part.
  std::optional<std::vector<std::byte>> add(Rank from, std::span<const std::byte> bytes) {
    Part part;
    std::memcpy(&part, bytes.data(), sizeof part);
    const std::span<const std::byte> piece = bytes.subspan(sizeof part);
    if (piece.size() == part.total) return std::vector<std::byte>(piece.begin(), piece.end());
    Open& open = open_[{from, part.message}];
    open.bytes.resize(part.total);
    std::memcpy(open.bytes.data() + part.offset, piece.data(), piece.size());
    if ((open.have += piece.size()) != part.total) return std::nullopt;
    return std::move(open_.extract({from, part.message}).mapped().bytes);
  }

 private:
  struct Open {
    std::vector<std::byte> bytes;
    std::size_t have = 0;
  };
  std::map<std::pair<Rank, std::uint64_t>, Open> open_;
};

}  // namespace weir::ocr
