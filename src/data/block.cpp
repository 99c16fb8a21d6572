// SPDX-License-Identifier: Apache-2.0

#include "data/block.hpp"

#include "base/check.hpp"

namespace weir::data {

memory::CopyEnd Home::end(const detail::BlockLayout& l) const noexcept {
  WEIR_CHECK(kind != Kind::none, "a block is copied from or to a home that has no place");
  if (backing != nullptr) return memory::CopyEnd::at(*backing, range.offset);
  return memory::CopyEnd::program(
      {static_cast<std::byte*>(address),
       l.run_bytes,
       {l.counts[0], l.counts[1]},
       {static_cast<std::ptrdiff_t>(l.strides[0]), static_cast<std::ptrdiff_t>(l.strides[1])}});
}

}  // namespace weir::data
