// SPDX-License-Identifier: Apache-2.0

#include "island/footprint.hpp"

#include <fmt/format.h>

#include <string>

#include "deps/block_map.hpp"

namespace weir::island {

namespace {

using base::Code;
using base::Status;

std::uintptr_t address_of(const void* data) noexcept { return reinterpret_cast<std::uintptr_t>(data); }

std::size_t span_of(const Region& region) noexcept {
  return region.row_bytes == 0 || region.rows == 0 ? 0 : (region.rows - 1) * region.stride_bytes + region.row_bytes;
}

// What lies behind a piece is another one's, or will be.
Status check_piece(const Region& region, std::size_t span, Heap& heap) {
  const std::size_t there = heap.bytes_from(region.base);
  if (span <= there) return Status::success();
  const std::string named = fmt::format("a footprint names {} bytes at {}", span, region.base);
  if (there != 0) {
    return {Code::bad_input,
            fmt::format("{}, of which {} are of what Master::allocate() has given there; those behind are of "
                        "another piece, or of none",
                        named, there)};
  }
  if (address_of(region.base) - address_of(heap.start()) < heap.bytes()) {
    return {Code::bad_input,
            named + ", which is not memory of Master::allocate(): it was not given out, or free() has taken it back"};
  }
  return {Code::bad_input,
          named + ", which is not memory of Master::allocate(): other processes have something else there"};
}

// Two blocks never share a line: each begins at one.
Status check_blocks(const Partition& partition) {
  const Region& whole = partition.whole;
  const bool rows_fit = whole.rows <= 1 || whole.stride_bytes % kLine == 0;
  const bool columns_fit = partition.block_row_bytes >= whole.row_bytes || partition.block_row_bytes % kLine == 0;
  if (rows_fit && columns_fit && address_of(whole.base) % kLine == 0) return Status::success();
  return {
      Code::bad_input,
      fmt::format("a watched array at {} has rows of {} bytes, {} from one to the next, in blocks of {}: on islands "
                  "the array, its rows and its blocks must begin at whole lines of {} bytes",
                  whole.base, whole.row_bytes, whole.stride_bytes, partition.block_row_bytes, kLine)};
}

}  // namespace

base::Result<Access> in_lines(const Access& access, Heap& heap) {
  const Region& region = access.region;
  const std::size_t span = span_of(region);
  if (span != 0) {
    if (Status status = check_piece(region, span, heap); !status) return status;
  }
  if (span != 0 && access.partition == nullptr && !deps::is_in_order(region)) {
    return Status{Code::bad_input,
                  fmt::format("a footprint names {} rows of {} bytes, {} bytes from one to the next: they overlap",
                              region.rows, region.row_bytes, region.stride_bytes)};
  }
  Access lines = access;
  lines.identity = nullptr;
  if (lines.mode == Mode::commutative) lines.mode = Mode::inout;
  if (lines.mode == Mode::reduce) {
    lines.mode = Mode::commutative;
    return lines;
  }
  if (access.partition != nullptr) {
    if (Status status = check_blocks(*access.partition); !status) return status;
    return lines;
  }
  const std::uintptr_t start = address_of(region.base) / kLine * kLine;
  const std::uintptr_t end = (address_of(region.base) + span + kLine - 1) / kLine * kLine;
  lines.region = {reinterpret_cast<const void*>(start), span == 0 ? 0 : end - start, 1, 0};
  return lines;
}

}  // namespace weir::island
