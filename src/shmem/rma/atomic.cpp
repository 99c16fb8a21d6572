// SPDX-License-Identifier: Apache-2.0

#include "shmem/rma/atomic.hpp"

#include <fmt/format.h>

namespace weir::shmem::detail {

namespace {

bool fetches_nothing(transport::AtomicOp op) noexcept {
  using enum transport::AtomicOp;
  return op == set || op == add || op == bit_and || op == bit_or || op == bit_xor;
}

}  // namespace

std::uint64_t atomic_slow(Context& context, const Remote& remote, int pe) {
  const transport::Location at = *locate(remote.at, pe);
  const Context::Use use(context);
  if (fetches_nothing(remote.op)) {
    check(use->atomic_nbi(at, remote.op, remote.width, remote.operand, remote.expected, nullptr));
    return 0;
  }
  auto old = use->atomic(at, remote.op, remote.width, remote.operand, remote.expected);
  check(old.status());
  return *old;
}

void atomic_nbi_slow(Context& context, const Remote& remote, void* old, int pe) {
  // The channel writes 64 bits, so that a result of 32 is waited for.
  if (remote.width == transport::AtomicWidth::bits32) {
    const auto bits = static_cast<std::uint32_t>(atomic_slow(context, remote, pe));
    __builtin_memcpy(old, &bits, sizeof(bits));
    return;
  }
  const transport::Location at = *locate(remote.at, pe);
  const Context::Use use(context);
  check(
      use->atomic_nbi(at, remote.op, remote.width, remote.operand, remote.expected, static_cast<std::uint64_t*>(old)));
}

void fail_alignment(const void* word, std::size_t bytes) noexcept {
  fail(fmt::format("address {} is not a multiple of {}: an atomic word must be", word, bytes));
}

}  // namespace weir::shmem::detail
