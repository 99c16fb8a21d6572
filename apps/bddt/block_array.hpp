// SPDX-License-Identifier: Apache-2.0

// An array for runtimes that know no array: its sections say which blocks they cover, by number and by address.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace weir::apps::bddt {

inline constexpr std::size_t kPage = 4096;

// `bytes` of zeros, on pages of their own.
inline std::shared_ptr<std::byte> zeroed_pages(std::size_t bytes) {
  const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(kPage, whole));
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, whole);
  return {memory, [](std::byte* p) { std::free(p); }};
}

// Where the blocks of an array are.
struct Blocks {
  std::byte* data = nullptr;
  std::size_t down = 0, across = 0;     // how many
  std::size_t rows = 0, row_bytes = 0;  // of one
  std::size_t stride_bytes = 0;         // from row to row
  std::size_t element_bytes = 0;
  std::vector<void*> handles{};  // the runtime's, by number, where it has some

  std::byte* address(std::size_t number) const {
    return data + number / across * rows * stride_bytes + number % across * row_bytes;
  }
};

struct BlockSection {
  const Blocks* blocks;
  std::size_t top, bottom, left, right;  // blocks; bottom and right are behind the last

  std::size_t count() const { return (bottom - top) * (right - left); }
  std::size_t first() const { return top * blocks->across + left; }
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t r = top; r < bottom; ++r) {
      for (std::size_t c = left; c < right; ++c) f(r * blocks->across + c);
    }
  }
};

template <class T>
class BlockArray {
 public:
  // Whole blocks.
  BlockArray(std::size_t rows, std::size_t cols, std::size_t block_rows, std::size_t block_cols)
      : memory_(zeroed_pages(rows * cols * sizeof(T))),
        stride_(cols),
        block_cols_(block_cols),
        blocks_(std::make_shared<Blocks>(Blocks{memory_.get(), rows / block_rows, cols / block_cols, block_rows,
                                                block_cols * sizeof(T), cols * sizeof(T), sizeof(T)})) {}

  T* data() const { return reinterpret_cast<T*>(memory_.get()); }
  std::size_t stride() const { return stride_; }
  BlockSection tile(std::size_t row, std::size_t col, std::size_t rows, std::size_t cols) const {
    const auto behind = [](std::size_t end, std::size_t block) { return (end + block - 1) / block; };
    return {blocks_.get(), row / blocks_->rows, behind(row + rows, blocks_->rows), col / block_cols_,
            behind(col + cols, block_cols_)};
  }
  const std::shared_ptr<Blocks>& blocks() const { return blocks_; }

 private:
  std::shared_ptr<std::byte> memory_;
  std::size_t stride_, block_cols_;
  std::shared_ptr<Blocks> blocks_;
};

}  // namespace weir::apps::bddt
