// SPDX-License-Identifier: Apache-2.0

// Writer and Reader: values one behind the other, as messages between ranks of one build have them. One thread.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.hpp"

namespace weir::ocr {

class Writer {
 public:
  template <class T>
  Writer& put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return put_bytes(std::as_bytes(std::span(&value, 1)));
  }
  Writer& put_bytes(std::span<const std::byte> more) {
    const std::size_t before = bytes_.size();
    if (before == 0) bytes_.reserve(kUsual);
    bytes_.resize(before + more.size());
    if (!more.empty()) std::memcpy(bytes_.data() + before, more.data(), more.size());
    return *this;
  }
  // A number of values, then these.
  template <class T>
  Writer& put_all(std::span<const T> values) {
    put(static_cast<std::uint64_t>(values.size()));
    return put_bytes(std::as_bytes(values));
  }
  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  std::vector<std::byte> take() noexcept { return std::move(bytes_); }

 private:
  static constexpr std::size_t kUsual = 320;  // as long as most messages are at most: they grow by one allocation

  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) noexcept : left_(bytes) {}

  template <class T>
  T get() {
    T value;
    std::memcpy(&value, get_bytes(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::span<const std::byte> get_bytes(std::size_t count) {
    WEIR_CHECK(count <= left_.size(),
               "a message between ranks is as long as its kind says: all ranks are of one build");
    const std::span<const std::byte> got = left_.first(count);
    left_ = left_.subspan(count);
    return got;
  }
  template <class T>
  std::vector<T> get_all() {
    const std::span<const std::byte> bytes = get_bytes(get<std::uint64_t>() * sizeof(T));
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  // All that is left.
  std::span<const std::byte> rest() noexcept { return std::exchange(left_, {}); }

 private:
  std::span<const std::byte> left_;
};

}  // namespace weir::ocr
