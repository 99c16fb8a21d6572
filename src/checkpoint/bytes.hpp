// SPDX-License-Identifier: Apache-2.0

// Numbers and texts one behind the other, in the byte order of the machine: the small parts of a checkpoint. Values.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace weir::checkpoint {

template <class T>
requires std::is_trivially_copyable_v<T> std::string_view bytes_of(const T& value)
noexcept { return {reinterpret_cast<const char*>(&value), sizeof value}; }

class Encoder {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> Encoder& operator<<(T number) {
    text_ += bytes_of(number);
    return *this;
  }
  Encoder& operator<<(std::string_view text) {
    *this << std::uint64_t{text.size()};
    text_ += text;
    return *this;
  }
  const std::string& text() const& noexcept { return text_; }
  std::string text() && noexcept { return std::move(text_); }

 private:
  std::string text_;
};

// What is read beyond the end is 0 or empty, and good() is false from then on.
class Decoder {
 public:
  explicit Decoder(std::string_view text) noexcept : rest_(text) {}
  template <class T>
  requires std::is_arithmetic_v<T> Decoder& operator>>(T& number) noexcept {
    number = T{};
    if (const std::string_view bytes = take(sizeof number); !bytes.empty())
      std::memcpy(&number, bytes.data(), sizeof number);
    return *this;
  }
  Decoder& operator>>(std::string& text) {
    std::uint64_t bytes = 0;
    *this >> bytes;
    text = take(bytes);
    return *this;
  }
  bool good() const noexcept { return good_; }
  bool at_end() const noexcept { return rest_.empty(); }

 private:
  std::string_view take(std::uint64_t bytes) noexcept {
    good_ = good_ && bytes <= rest_.size();
    if (!good_) return {};
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace weir::checkpoint
