// SPDX-License-Identifier: Apache-2.0

// FewNumbers: a list of numbers that is mostly short, in 16 bytes: two in place, more on the heap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>

namespace weir::tool::report {

class FewNumbers {
 public:
  FewNumbers() = default;
  FewNumbers(std::initializer_list<std::uint32_t> numbers) {
    for (const std::uint32_t number : numbers) push_back(number);
  }
  FewNumbers(const FewNumbers& other) {
    for (const std::uint32_t number : other) push_back(number);
  }
  FewNumbers(FewNumbers&& other) noexcept
      : count_(std::exchange(other.count_, 0)), room_(std::exchange(other.room_, kInPlace)), place_(other.place_) {}
  FewNumbers& operator=(FewNumbers other) noexcept {
    std::swap(count_, other.count_);
    std::swap(room_, other.room_);
    std::swap(place_, other.place_);
    return *this;
  }
  ~FewNumbers() {
    if (room_ > kInPlace) delete[] place_.many;
  }

  std::uint32_t size() const noexcept { return count_; }
  const std::uint32_t* begin() const noexcept { return room_ > kInPlace ? place_.many : place_.few; }
  const std::uint32_t* end() const noexcept { return begin() + count_; }

  void push_back(std::uint32_t number) {
    if (count_ == room_) grow();
    data()[count_++] = number;
  }
  template <class Condition>
  void erase_if(Condition&& condition) {
    count_ = static_cast<std::uint32_t>(std::remove_if(data(), data() + count_, condition) - data());
  }

 private:
  static constexpr std::uint32_t kInPlace = 2;

  std::uint32_t* data() noexcept { return room_ > kInPlace ? place_.many : place_.few; }
  void grow() {
    auto more = std::make_unique<std::uint32_t[]>(std::size_t{2} * room_);
    std::copy(begin(), end(), more.get());
    if (room_ > kInPlace) delete[] place_.many;
    place_.many = more.release();
    room_ *= 2;
  }

  std::uint32_t count_ = 0;
  std::uint32_t room_ = kInPlace;
  union {
    std::uint32_t few[kInPlace];
    std::uint32_t* many;  // owned
  } place_{};
};
static_assert(sizeof(FewNumbers) == 16);

}  // namespace weir::tool::report
