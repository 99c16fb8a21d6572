// SPDX-License-Identifier: Apache-2.0

#include "shmem/api/arrays.hpp"

#include <fmt/format.h>

namespace weir::shmem::api {

namespace {

// From the first byte to the last one of so many elements; false: there are no such addresses. As signed numbers, which
// the distances between addresses are.
bool extent_of(std::ptrdiff_t stride, std::size_t elements, std::size_t element, std::ptrdiff_t* bytes) noexcept {
  std::ptrdiff_t last = 0;
  return !__builtin_mul_overflow(elements - 1, stride, &last) && !__builtin_mul_overflow(last, element, &last) &&
         !__builtin_add_overflow(last, element, bytes);
}

}  // namespace

void check_ends(const Group& group, const Strided& what) noexcept {
  if (what.count == 0) return;
  if (what.dest_stride < 1 || what.source_stride < 1) {
    fail(fmt::format("dst is {} and sst is {}: both must be at least 1, and are counted in elements", what.dest_stride,
                     what.source_stride));
  }
  std::size_t elements = 0;
  std::ptrdiff_t dest = 0, source = 0;
  if (__builtin_mul_overflow(what.count, std::size_t{group.size()}, &elements) ||
      !extent_of(what.dest_stride, elements, what.element, &dest) ||
      !extent_of(what.source_stride, elements, what.element, &source)) {
    fail(
        fmt::format("{} elements of {} bytes for each of {} PEs, with the strides dst {} and sst {}, are more than "
                    "there are addresses: give the number of elements, which is not negative",
                    what.count, what.element, group.size(), what.dest_stride, what.source_stride));
  }
  check_end(what.dest, static_cast<std::size_t>(dest));
  check_end(what.source, static_cast<std::size_t>(source));
}

}  // namespace weir::shmem::api
