// SPDX-License-Identifier: Apache-2.0

#include "shmem/rma/wait.hpp"

#include <fmt/format.h>

namespace weir::shmem::detail {

void fail_comparison(int cmp) noexcept {
  fail(fmt::format("comparison {} is unknown: SHMEM_CMP_EQ, NE, GT, LE, LT or GE", cmp));
}

void fail_wait_address(const void* word, std::size_t bytes) noexcept {
  if (world().n_pes == 0 || segment_of(word) == nullptr) fail_address(word, 0);
  if (!is_symmetric(word, bytes)) fail_range(word, bytes, world().my_pe);
  fail(fmt::format("address {} is not aligned to its type: what is waited for must be", word));
}

}  // namespace weir::shmem::detail
