// SPDX-License-Identifier: Apache-2.0

// What small data blocks contain, one behind the other in an item of the image: written in large pieces, and read again
// in the same order. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "checkpoint/image_file.hpp"
#include "checkpoint/past.hpp"

namespace weir::ocr {

class Gathered {
 public:
  // Throws std::bad_alloc.
  Gathered(checkpoint::ImageWriter& to, std::size_t item);
  // Kept in memory, up to 128 MiB of all; with more, written.
  void add(std::span<const std::byte> contents);
  // Writes what is in memory.
  void flush();

 private:
  checkpoint::ImageWriter& to_;
  const std::size_t item_;
  std::uint64_t done_ = 0;
  struct Free {
    void operator()(std::byte* bytes) const noexcept;
  };
  using Piece = std::unique_ptr<std::byte, Free>;
  static Piece make_piece();

  std::vector<Piece> pieces_;  // where files are written from directly; all but the last are full
  std::size_t gathered_ = 0;   // bytes of the last
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
