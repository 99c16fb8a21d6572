// SPDX-License-Identifier: Apache-2.0

// What small data blocks contain, one behind the other in an item of the image: written in large pieces, and read again
// in the same order. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "checkpoint/past.hpp"
#include "ocr/image/pieces.hpp"

namespace weir::ocr {

class Gathered {
 public:
  Gathered(Pieces& pieces, std::size_t item) noexcept : pieces_(pieces), item_(item) {}
  // Copied. Throws std::bad_alloc.
  void add(std::span<const std::byte> contents);
  // That was all of the item.
  void end();

 private:
  Pieces& pieces_;
  const std::size_t item_;
  std::uint64_t kept_ = 0;      // bytes of the pieces before
  std::byte* piece_ = nullptr;  // not full
  std::size_t gathered_ = 0;    // bytes in it
};

class Scattered {
 public:
  Scattered(const checkpoint::Contents& from, std::uint64_t bytes) noexcept : from_(from), bytes_(bytes) {}
  // io_error, bad_input: there is not so much.
  base::Status take(std::span<std::byte> to);
  // All was taken, and is not damaged.
  base::Status check() const;

 private:
  base::Status read();

  const checkpoint::Contents& from_;
  const std::uint64_t bytes_;
  std::uint64_t at_ = 0;
  std::uint32_t sum_ = 0;
  std::vector<std::byte> piece_;
  std::span<const std::byte> left_;
};

}  // namespace weir::ocr
