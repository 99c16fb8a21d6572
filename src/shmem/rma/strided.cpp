// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "shmem/observe/call.hpp"
#include "shmem/observe/check_copy.hpp"
#include "shmem/rma/rma.hpp"

namespace weir::shmem {

namespace {

std::size_t block_bytes(const Strides& s) noexcept { return s.block * s.element; }

// From the start of the first block to that of block i of a side with this stride.
std::ptrdiff_t offset(std::ptrdiff_t stride, const Strides& s, std::size_t i) noexcept {
  return stride * static_cast<std::ptrdiff_t>(s.element) * static_cast<std::ptrdiff_t>(i);
}

// Whether the bytes of a side and the distance to its last block are numbers that addresses have.
bool is_countable(std::ptrdiff_t stride, const Strides& s) noexcept {
  std::ptrdiff_t block = 0, all = 0, step = 0, last = 0;
  return !__builtin_mul_overflow(s.block, s.element, &block) && !__builtin_mul_overflow(block, s.count, &all) &&
         !__builtin_mul_overflow(stride, s.element, &step) && !__builtin_mul_overflow(step, s.count - 1, &last);
}

// Before anything is computed of them.
void check_countable(const Strides& s) {
  if (is_countable(s.dest, s) && is_countable(s.source, s)) [[likely]]
    return;
  fail(
      fmt::format("{} blocks of {} elements of {} bytes, with the strides dst {} and sst {}, are more than there are "
                  "addresses: give the number of elements, which is not negative",
                  s.count, s.block, s.element, s.dest, s.source));
}

// The last block of a side. As numbers: the sum may be no address of the program's.
const std::byte* last_block(const void* first, std::ptrdiff_t stride, const Strides& s) noexcept {
  return reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(first) +
                                            static_cast<std::uintptr_t>(offset(stride, s, s.count - 1)));
}

// Ends the program unless the first and the last block of the symmetric side lie in its segment.
void check_ends(const void* symmetric, std::ptrdiff_t stride, const Strides& s, int pe) {
  const auto* const first = static_cast<const std::byte*>(symmetric);
  mapped(first, block_bytes(s), pe);
  const std::byte* const last = last_block(symmetric, stride, s);
  mapped(last, block_bytes(s), pe);
  if (segment_of(first) != segment_of(last)) fail_address(last, pe);
}

// Whether both ends, and so all, of a source are constants, which are read where they are.
bool is_constant(const void* source, const Strides& s, int pe) {
  const std::byte* const last = last_block(source, s.source, s);
  const std::byte* const low = std::min(static_cast<const std::byte*>(source), last);
  const std::byte* const high = std::max(static_cast<const std::byte*>(source), last);
  return constant(low, static_cast<std::size_t>(high - low) + block_bytes(s), pe) != nullptr;
}

template <std::size_t Bytes>
void copy_elements(std::byte* to, const std::byte* from, const Strides& s) {
  const std::ptrdiff_t to_step = offset(s.dest, s, 1), from_step = offset(s.source, s, 1);
  for (std::size_t i = 0; i < s.count; ++i, to += to_step, from += from_step) std::memcpy(to, from, Bytes);
}

void copy_blocks(std::byte* to, const std::byte* from, const Strides& s) {
  switch (block_bytes(s)) {
    case 1: return copy_elements<1>(to, from, s);
    case 2: return copy_elements<2>(to, from, s);
    case 4: return copy_elements<4>(to, from, s);
    case 8: return copy_elements<8>(to, from, s);
    case 16: return copy_elements<16>(to, from, s);
    default:
      for (std::size_t i = 0; i < s.count; ++i)
        std::memmove(to + offset(s.dest, s, i), from + offset(s.source, s, i), block_bytes(s));
  }
}

// Both sides as this process maps them.
void copy_mapped(std::byte* to, const std::byte* from, const Strides& s) {
  if (world().is_checked)
    check_blocks({to, offset(s.dest, s, 1), block_bytes(s), s.count},
                 {from, offset(s.source, s, 1), block_bytes(s), s.count});
  copy_blocks(to, from, s);
}

}  // namespace

void iput(Context& context, void* dest, const void* source, const Strides& s, int pe) {
  if (s.count == 0 || s.block == 0) return;
  check_countable(s);
  check_ends(dest, s.dest, s, pe);
  const Call call(trace::Kind::put, trace::PePut::strided, {dest, s.count * block_bytes(s), pe});
  auto* const to = static_cast<std::byte*>(dest);
  const auto* const from = static_cast<const std::byte*>(source);
  if (std::byte* const there = mapped(dest, pe); there != nullptr) return copy_mapped(there, from, s);
  Context::Use use(context);
  for (std::size_t i = 0; i < s.count; ++i)
    check(use->put(*locate(to + offset(s.dest, s, i), pe), from + offset(s.source, s, i), block_bytes(s)));
}

void iget(Context& context, void* dest, const void* source, const Strides& s, int pe) {
  if (s.count == 0 || s.block == 0) return;
  check_countable(s);
  auto* const to = static_cast<std::byte*>(dest);
  const auto* const from = static_cast<const std::byte*>(source);
  if (segment_of(source) == nullptr && is_constant(source, s, pe)) return copy_mapped(to, from, s);
  check_ends(source, s.source, s, pe);
  const Call call(trace::Kind::get, trace::PeGet::strided, {source, s.count * block_bytes(s), pe});
  if (const std::byte* const there = mapped(source, pe); there != nullptr) return copy_mapped(to, there, s);
  Context::Use use(context);
  for (std::size_t i = 0; i < s.count; ++i)
    check(use->get_nbi(to + offset(s.dest, s, i), *locate(from + offset(s.source, s, i), pe), block_bytes(s)));
  check(use->quiet());
}

}  // namespace weir::shmem
