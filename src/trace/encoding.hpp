// SPDX-License-Identifier: Apache-2.0

// Words and texts of chunks that are no units: each word 8 bytes, each text its length and its bytes, padded to 8.
//
// Pure. A Decoder that has met its end gives nothing from then on: whole() says whether all was there.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace weir::trace {

class Encoder {
 public:
  Encoder& operator<<(std::uint64_t word) {
    bytes_.append(reinterpret_cast<const char*>(&word), sizeof word);
    return *this;
  }
  Encoder& operator<<(double real) { return *this << std::bit_cast<std::uint64_t>(real); }
  Encoder& operator<<(std::string_view text) {
    *this << std::uint64_t{text.size()};
    bytes_ += text;
    bytes_.resize((bytes_.size() + 7) / 8 * 8);
    return *this;
  }
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) noexcept : left_(bytes) {}

  std::uint64_t word() noexcept {
    std::uint64_t word = 0;
    const std::string_view bytes = take(sizeof word);
    if (!bytes.empty()) std::memcpy(&word, bytes.data(), sizeof word);
    return word;
  }
  double real() noexcept { return std::bit_cast<double>(word()); }
  std::string text() {
    const std::uint64_t length = word();
    if (length > left_.size()) {
      take(length);
      return {};
    }
    return std::string(take((length + 7) / 8 * 8).substr(0, length));
  }

  bool at_end() const noexcept { return left_.empty(); }
  bool whole() const noexcept { return whole_; }

 private:
  std::string_view take(std::uint64_t bytes) noexcept {
    if (bytes > left_.size()) {
      whole_ = false;
      left_ = {};
      return {};
    }
    const std::string_view taken = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return taken;
  }

  std::string_view left_;
  bool whole_ = true;
};

}  // namespace weir::trace
