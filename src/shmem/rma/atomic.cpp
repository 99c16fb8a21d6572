// SPDX-License-Identifier: Apache-2.0

#include "shmem/rma/atomic.hpp"

#include <fmt/format.h>

#include "shmem/observe/call.hpp"
#include "shmem/rma/polling.hpp"

namespace weir::shmem::detail {

namespace {

bool fetches_nothing(transport::AtomicOp op) noexcept {
  using enum transport::AtomicOp;
  return op == set || op == add || op == bit_and || op == bit_or || op == bit_xor;
}

template <class Word>
std::uint64_t apply_to(std::byte* at, const Remote& remote) noexcept {
  using enum transport::AtomicOp;
  auto* const word = reinterpret_cast<Word*>(at);
  const auto operand = static_cast<Word>(remote.operand), expected = static_cast<Word>(remote.expected);
  switch (remote.op) {
    case set: return apply<set>(word, operand, expected);
    case add: return apply<add>(word, operand, expected);
    case bit_and: return apply<bit_and>(word, operand, expected);
    case bit_or: return apply<bit_or>(word, operand, expected);
    case bit_xor: return apply<bit_xor>(word, operand, expected);
    case swap: return apply<swap>(word, operand, expected);
    case compare_swap: return apply<compare_swap>(word, operand, expected);
    case fetch: return apply<fetch>(word, operand, expected);
    case fetch_add: return apply<fetch_add>(word, operand, expected);
    case fetch_and: return apply<fetch_and>(word, operand, expected);
    case fetch_or: return apply<fetch_or>(word, operand, expected);
    case fetch_xor: return apply<fetch_xor>(word, operand, expected);
  }
  return 0;
}

std::size_t bytes_of(const Remote& remote) noexcept { return remote.width == transport::AtomicWidth::bits64 ? 8 : 4; }

// In a traced or checked run, where memory is mapped.
std::uint64_t apply_to(std::byte* at, const Remote& remote) noexcept {
  return bytes_of(remote) == 8 ? apply_to<std::uint64_t>(at, remote) : apply_to<std::uint32_t>(at, remote);
}

// The word is as it was: who asks again asks in vain.
bool has_changed_nothing(const Remote& remote, std::uint64_t old) noexcept {
  using enum transport::AtomicOp;
  const std::uint64_t mask = bytes_of(remote) == 8 ? ~std::uint64_t{0} : 0xffff'ffff;
  const std::uint64_t operand = remote.operand & mask, expected = remote.expected & mask;
  if (remote.op == swap) return (old & mask) == operand;
  if (remote.op == compare_swap) return (old & mask) != expected || operand == expected;
  if (remote.op == fetch_and) return (old & ~operand & mask) == 0;
  if (remote.op == fetch_or) return (~old & operand) == 0;
  if (remote.op == fetch_add || remote.op == fetch_xor) return operand == 0;
  return remote.op == fetch;
}

}  // namespace

std::uint64_t atomic_slow(Context& context, const Remote& remote, int pe) {
  const Call call(trace::Kind::atomic, remote.op, {remote.at, bytes_of(remote), pe});
  if (std::byte* const there = mapped(remote.at, pe); there != nullptr) {
    const std::uint64_t old = apply_to(there, remote);
    if (has_changed_nothing(remote, old)) note_read(remote.at, pe, &old, sizeof old);
    return old;
  }
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
  const Call call(trace::Kind::atomic, remote.op, {remote.at, bytes_of(remote), pe});
  if (std::byte* const there = mapped(remote.at, pe); there != nullptr) {
    const std::uint64_t bits = apply_to(there, remote);
    __builtin_memcpy(old, &bits, bytes_of(remote));
    return;
  }
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
