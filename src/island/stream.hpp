// SPDX-License-Identifier: Apache-2.0

// Stream: bytes from one process to another, in letters, of any length. Protocol: docs/protocols/letters.md.
//
// Part k, from 1 on, is the letter number k in place k modulo kPlaces; the receiver says in a letter of its own, in the
// same place and under the same number, that it has taken it. Each line has one writer.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "island/letter.hpp"

namespace weir::island {

struct Stream {
  static constexpr std::uint32_t kPlaces = 4;
  using Part = Letter<1024>;
  struct Place {
    Part part;         // the sender's
    Letter<64> taken;  // the receiver's
  };
  std::array<Place, kPlaces> places;

  Place& place(std::uint32_t number) noexcept { return places[number % kPlaces]; }
  // As of letters; 0 is the number of no part.
  static constexpr std::uint32_t after(std::uint32_t number) noexcept { return number + 1 != 0 ? number + 1 : kPlaces; }
};

// The sender's end.
class StreamOut {
 public:
  explicit StreamOut(Stream& stream) noexcept : stream_(stream) {}

  // `wait()` is called as long as the receiver has all the parts there is room for.
  template <class Wait>
  void send(Memory& memory, std::span<const std::byte> bytes, Wait wait) {
    for (std::size_t at = 0; at < bytes.size();) {
      Stream::Place& place = stream_.place(next_);
      if (sent_ >= Stream::kPlaces)
        while (!place.taken.take(memory, before_[next_ % Stream::kPlaces])) wait();
      const std::size_t length = std::min(bytes.size() - at, Stream::Part::kPayload);
      std::memcpy(place.part.payload().data(), bytes.data() + at, length);
      place.part.post(memory, next_, length);
      before_[next_ % Stream::kPlaces] = next_;
      sent_ = std::min(sent_ + 1, Stream::kPlaces);
      next_ = Stream::after(next_);
      at += length;
    }
    position_ += bytes.size();
  }
  // How many were sent.
  std::uint64_t position() const noexcept { return position_; }

 private:
  Stream& stream_;
  std::uint32_t next_ = 1, sent_ = 0;
  std::uint64_t position_ = 0;
  std::array<std::uint32_t, Stream::kPlaces> before_{};  // by place: the number of its last part
};

// The receiver's end.
class StreamIn {
 public:
  explicit StreamIn(Stream& stream) noexcept : stream_(&stream) {}

  // Takes what is there; true when bytes() has so many.
  bool receive(Memory& memory, std::size_t wanted) {
    while (bytes_.size() < wanted) {
      Stream::Place& place = stream_->place(next_);
      const auto part = place.part.take(memory, next_);
      if (!part) return false;
      bytes_.insert(bytes_.end(), part->begin(), part->end());
      place.taken.post(memory, next_, 0);
      next_ = Stream::after(next_);
    }
    return true;
  }
  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  // How many came before those.
  std::uint64_t position() const noexcept { return position_; }
  void clear() noexcept {
    position_ += bytes_.size();
    bytes_.clear();
  }

 private:
  Stream* stream_;
  std::uint32_t next_ = 1;
  std::uint64_t position_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace weir::island
