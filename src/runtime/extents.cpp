// SPDX-License-Identifier: Apache-2.0

// What programs ask for in elements: refused where it is nothing, more than there are addresses, or overlaps itself.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "base/joined.hpp"
#include "runtime/kept.hpp"
#include "runtime/lifetime.hpp"
#include "runtime/program_memory.hpp"
#include "weir/detail/block.hpp"
#include "weir/error.hpp"

namespace weir::detail {

namespace {

// A product that knows when it was too large.
class Extent {
 public:
  explicit Extent(std::size_t value) noexcept : value_(value), fits_(value <= kMostBytes) {}
  Extent operator*(std::size_t factor) const noexcept {
    Extent result = *this;
    result.fits_ = !__builtin_mul_overflow(value_, factor, &result.value_) && fits_ && result.value_ <= kMostBytes;
    return result;
  }
  Extent operator+(Extent other) const noexcept {
    Extent result = *this;
    result.fits_ = !__builtin_add_overflow(value_, other.value_, &result.value_) && fits_ && other.fits_ &&
                   result.value_ <= kMostBytes;
    return result;
  }
  bool fits() const noexcept { return fits_; }
  bool exceeds(std::size_t most) const noexcept { return !fits_ || value_ > most; }

 private:
  std::size_t value_;
  bool fits_;
};

std::string by(std::span<const std::size_t> extents) { return base::joined(extents, " x "); }

const char* text_of(const char* name) noexcept { return name != nullptr ? name : ""; }

// Where the last element of adopted memory ends, in elements.
Extent end_of(std::span<const std::size_t> shape, std::span<const std::size_t> strides) {
  Extent end(1);
  for (std::size_t d = 0; d < shape.size(); ++d) end = end + Extent(shape[d] - 1) * strides[d];
  return end;
}

// Rows, or planes of rows: what is nearer together must end before what is further apart begins.
bool overlaps_itself(std::span<const std::size_t> shape, std::span<const std::size_t> strides) {
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return strides[a] < strides[b]; });
  Extent end(1);
  for (const std::size_t d : order) {
    if (shape[d] == 1) continue;
    if (end.exceeds(strides[d])) return true;
    end = end + Extent(shape[d] - 1) * strides[d];
  }
  return false;
}

void check_adopted(const ArrayShape& array, std::span<const std::size_t> shape) {
  const std::span strides(array.strides, array.rank);
  if (array.program == nullptr) refuse_null(array.name);
  if (strides.back() != 1) {
    throw Error(
        fmt::format("array {:?}: strides of {} elements: the last must be 1, as the elements of a row lie one behind "
                    "the other",
                    text_of(array.name), by(strides)));
  }
  if (overlaps_itself(shape, strides)) {
    throw Error(
        fmt::format("array {:?}: {} elements with strides of {} overlap: a stride must be at least the length of "
                    "what it steps over",
                    text_of(array.name), by(shape), by(strides)));
  }
  if (!(end_of(shape, strides) * array.element_bytes).fits()) {
    throw Error(fmt::format("array {:?}: {} elements of {} bytes with strides of {} are more than there are addresses",
                            text_of(array.name), by(shape), array.element_bytes, by(strides)));
  }
}

}  // namespace

void refuse_count(const char* name, std::size_t count, std::size_t element_bytes) {
  throw Error(fmt::format("block {:?}: {} elements of {} bytes are more than there are addresses", text_of(name), count,
                          element_bytes));
}

void refuse_null(const char* name) {
  throw Error(
      fmt::format("adopt({:?}): the memory to adopt is null: give the address of the program's data", text_of(name)));
}

void refuse_tiles(const char* name, std::size_t count) {
  throw Error(fmt::format("array {:?}: there is no memory for a table of {} tiles: make the tiles larger",
                          text_of(name), count));
}

void refuse_range(std::size_t count, std::size_t element_bytes) {
  throw Error(
      fmt::format("a footprint names {} elements of {} bytes, which are more than there are addresses: is the count "
                  "negative?",
                  count, element_bytes));
}

void moved_from(const char* what) noexcept {
  std::fprintf(stderr, "weir: %s that was moved from: ask the one that it was moved to\n", what);
  std::abort();
}

void check_array(const ArrayShape& array) {
  const std::span shape(array.shape, array.rank), tile(array.tile, array.rank);
  if (std::ranges::count(shape, std::size_t{0}) + std::ranges::count(tile, std::size_t{0}) != 0) {
    throw Error(
        fmt::format("array {:?} of {} elements in tiles of {}: its shape and its tiles must have at least 1 element "
                    "in each dimension",
                    text_of(array.name), by(shape), by(tile)));
  }
  Extent bytes(array.element_bytes);
  for (const std::size_t extent : shape) bytes = bytes * extent;
  if (!bytes.fits()) {
    throw Error(fmt::format("array {:?}: {} elements of {} bytes are more than there are addresses",
                            text_of(array.name), by(shape), array.element_bytes));
  }
  if (array.strides != nullptr) check_adopted(array, shape);
}

std::uint64_t next_partition_id() noexcept {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);  // relaxed: numbers need only differ
}

const Partition* make_partition(const WatchedShape& shape) {
  const auto refuse = [&](const char* why) {
    throw Error(fmt::format(
        "a watched array of {} x {} elements of {} bytes with a stride of {}, in blocks of {} x {}: {}", shape.rows,
        shape.cols, shape.element_bytes, shape.stride, shape.block_rows, shape.block_cols, why));
  };
  if (shape.block_rows == 0 || shape.block_cols == 0) refuse("a block must have at least 1 row and 1 column");
  if (shape.rows > 1 && shape.stride < shape.cols) refuse("rows overlap: the stride must be at least the columns");
  const std::size_t last = shape.rows > 1 ? shape.rows - 1 : 0;
  if (!((Extent(shape.stride) * last + Extent(shape.cols)) * shape.element_bytes).fits())
    refuse("more than there are addresses");
  if (shape.data == nullptr && shape.rows != 0 && shape.cols != 0) refuse("its address is null");
  const std::size_t block_cols = std::min(shape.block_cols, std::max(shape.cols, std::size_t{1}));
  const std::size_t block_rows = std::min(shape.block_rows, std::max(shape.rows, std::size_t{1}));
  return runtime::make_watched(
      {{shape.data, shape.cols * shape.element_bytes, shape.rows, shape.stride * shape.element_bytes},
       block_cols * shape.element_bytes,
       block_rows,
       next_partition_id()});
}

void end_partition(const Partition* partition) noexcept {
  const std::optional<runtime::Namers> left = runtime::wait_for_namers(*partition);
  const auto dispose = [](void* object) noexcept { runtime::destroy_watched(static_cast<const Partition*>(object)); };
  if (!left) return dispose(const_cast<Partition*>(partition));
  runtime::keep(*left, {const_cast<Partition*>(partition), dispose, {}, {}});
}

}  // namespace weir::detail
