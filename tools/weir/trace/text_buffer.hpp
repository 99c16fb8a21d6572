// SPDX-License-Identifier: Apache-2.0

// TextBuffer: text that is put together from many small pieces: no format string is read, nothing is allocated for
// each.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace weir::tool::convert {

class TextBuffer {
 public:
  std::string_view text() const noexcept { return {bytes_.data(), size_}; }
  void clear() noexcept { size_ = 0; }

  TextBuffer& operator<<(std::string_view text) {
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
    return *this;
  }
  TextBuffer& operator<<(std::uint64_t number) {
    char* const at = room(kMostDigits);
    size_ += static_cast<std::size_t>(std::to_chars(at, at + kMostDigits, number).ptr - at);
    return *this;
  }
  void hexadecimal(std::uint64_t number) {
    char* const at = room(kMostDigits);
    size_ += static_cast<std::size_t>(std::to_chars(at, at + kMostDigits, number, 16).ptr - at);
  }
  // Thousandths: 1234567 as 1234.567.
  void thousandths(std::uint64_t number) {
    *this << number / 1000;
    const auto rest = static_cast<unsigned>(number % 1000);
    char* const at = room(4);
    at[0] = '.';
    at[1] = static_cast<char>('0' + rest / 100);
    at[2] = static_cast<char>('0' + rest / 10 % 10);
    at[3] = static_cast<char>('0' + rest % 10);
    size_ += 4;
  }

 private:
  static constexpr std::size_t kMostDigits = 20;

  char* room(std::size_t bytes) {
    if (bytes_.size() - size_ < bytes) bytes_.resize(2 * bytes_.size() + bytes + 4096);
    return bytes_.data() + size_;
  }

  std::vector<char> bytes_;
  std::size_t size_ = 0;
};

}  // namespace weir::tool::convert
