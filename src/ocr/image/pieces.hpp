// SPDX-License-Identifier: Apache-2.0

// Pieces: what is copied for an image before it is written, so that what it was copied from may change. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "checkpoint/image_file.hpp"

namespace weir::ocr {

class Pieces {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{128} << 20;

  // There are so many, and their pages, too, which costs several times what copying does. Throws std::bad_alloc.
  void prepare(std::size_t count);
  // How many were in use at a time.
  std::size_t most() const noexcept { return most_; }

  // Where to write from now on. Before it is set no more than kMostBytes are copied.
  void set_file(checkpoint::ImageWriter& file) noexcept { file_ = &file; }

  // Of kPieceBytes, where files are written from directly. When all are in use those that were kept are written first.
  // Throws std::bad_alloc.
  std::byte* take();
  // One that was taken has `bytes` of an item, which begin at `offset` of it: of one item, in their order.
  void keep(std::byte* piece, std::size_t item, std::uint64_t offset, std::size_t bytes);
  void write_kept();

 private:
  struct Free {
    void operator()(std::byte* bytes) const noexcept;
  };
  struct Kept {
    std::byte* piece;
    std::size_t item;
    std::uint64_t offset;
    std::size_t bytes;
  };

  void make();

  checkpoint::ImageWriter* file_ = nullptr;
  std::vector<std::unique_ptr<std::byte, Free>> all_;
  std::vector<std::byte*> free_;
  std::vector<Kept> kept_;
  std::size_t most_ = 0;
};

}  // namespace weir::ocr
