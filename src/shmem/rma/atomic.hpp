// SPDX-License-Identifier: Apache-2.0

// Atomics on symmetric words of 32 and 64 bits: integers; float and double for fetch, set and swap.
//
// All on one word are atomic to one another, from any PE, by any path: the processor's own where memory is mapped, else
// by the owner's node. On remote PEs, those without a result are done after quiet(), and results of the non-blocking
// ones are there then. PEs are those of the world. Ends the program for a word that is not aligned to its size or not
// symmetric.
// Budget where memory is mapped: one atomic instruction.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "shmem/rma/context.hpp"
#include "shmem/world/address.hpp"

namespace weir::shmem {

namespace detail {

template <class T>
concept AtomicType = std::is_arithmetic_v<T> &&(sizeof(T) == 4 || sizeof(T) == 8);

template <AtomicType T>
using WordOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <AtomicType T>
constexpr transport::AtomicWidth kWidth = sizeof(T) == 8 ? transport::AtomicWidth::bits64
                                                         : transport::AtomicWidth::bits32;

// One operation at a PE whose memory is not mapped; the old value, 0 for operations that fetch nothing.
struct Remote {
  const void* at;
  transport::AtomicOp op;
  transport::AtomicWidth width;
  std::uint64_t operand = 0, expected = 0;
};
std::uint64_t atomic_slow(Context& context, const Remote& remote, int pe);
// *old (of the width) is there after quiet().
void atomic_nbi_slow(Context& context, const Remote& remote, void* old, int pe);

[[noreturn]] void fail_alignment(const void* word, std::size_t bytes) noexcept;

template <AtomicType T>
void check_alignment(const T* symmetric) noexcept {
  if ((reinterpret_cast<std::uintptr_t>(symmetric) & (sizeof(T) - 1)) != 0) [[unlikely]]
    fail_alignment(symmetric, sizeof(T));
}

// Those with which programs ask again and again until the word has changed: all that return what there was.
constexpr bool is_poll(transport::AtomicOp op) noexcept {
  using enum transport::AtomicOp;
  return op == fetch || op == swap || op == compare_swap || op == fetch_add || op == fetch_and || op == fetch_or ||
         op == fetch_xor;
}

// For the short way.
template <transport::AtomicOp Op, AtomicType T>
WordOf<T>* word_at(const T* symmetric, int pe) noexcept {
  check_alignment(symmetric);
  return reinterpret_cast<WordOf<T>*>(is_poll(Op) ? polled(symmetric, pe) : direct(symmetric, pe));
}

template <AtomicType T>
WordOf<T> bits_of(T value) noexcept {
  return std::bit_cast<WordOf<T>>(value);
}
template <AtomicType T>
T value_of(std::uint64_t bits) noexcept {
  return std::bit_cast<T>(static_cast<WordOf<T>>(bits));
}

// ORDER-2: all are seq_cst: what programs build of atomics alone (locks, counters) is right without a fence.
template <transport::AtomicOp Op, class Word>
Word apply(Word* word, Word operand, Word expected) noexcept {
  using enum transport::AtomicOp;
  if constexpr (Op == fetch) return __atomic_load_n(word, __ATOMIC_SEQ_CST);
  if constexpr (Op == set) return __atomic_store_n(word, operand, __ATOMIC_SEQ_CST), Word{0};
  if constexpr (Op == swap) return __atomic_exchange_n(word, operand, __ATOMIC_SEQ_CST);
  if constexpr (Op == add || Op == fetch_add) return __atomic_fetch_add(word, operand, __ATOMIC_SEQ_CST);
  if constexpr (Op == bit_and || Op == fetch_and) return __atomic_fetch_and(word, operand, __ATOMIC_SEQ_CST);
  if constexpr (Op == bit_or || Op == fetch_or) return __atomic_fetch_or(word, operand, __ATOMIC_SEQ_CST);
  if constexpr (Op == bit_xor || Op == fetch_xor) return __atomic_fetch_xor(word, operand, __ATOMIC_SEQ_CST);
  if constexpr (Op == compare_swap) {
    __atomic_compare_exchange_n(word, &expected, operand, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
  }
}

template <transport::AtomicOp Op, AtomicType T>
T atomic(Context& context, const T* at, T operand, T expected, int pe) {
  if (WordOf<T>* const word = word_at<Op>(at, pe); word != nullptr) [[likely]]
    return value_of<T>(apply<Op>(word, bits_of(operand), bits_of(expected)));
  return value_of<T>(atomic_slow(context, {at, Op, kWidth<T>, bits_of(operand), bits_of(expected)}, pe));
}

template <transport::AtomicOp Op, AtomicType T>
void atomic_nbi(Context& context, T* old, const T* at, T operand, T expected, int pe) {
  if (WordOf<T>* const word = word_at<Op>(at, pe); word != nullptr) [[likely]]
    *old = value_of<T>(apply<Op>(word, bits_of(operand), bits_of(expected)));
  else
    atomic_nbi_slow(context, {at, Op, kWidth<T>, bits_of(operand), bits_of(expected)}, old, pe);
}

}  // namespace detail

template <class T>
T atomic_fetch(Context& context, const T* source, int pe) {
  return detail::atomic<transport::AtomicOp::fetch>(context, source, T{}, T{}, pe);
}
template <class T>
void atomic_set(Context& context, T* dest, T value, int pe) {
  detail::atomic<transport::AtomicOp::set>(context, dest, value, T{}, pe);
}
template <class T>
T atomic_swap(Context& context, T* dest, T value, int pe) {
  return detail::atomic<transport::AtomicOp::swap>(context, dest, value, T{}, pe);
}
template <class T>
T atomic_compare_swap(Context& context, T* dest, T expected, T value, int pe) {
  return detail::atomic<transport::AtomicOp::compare_swap>(context, dest, value, expected, pe);
}
template <class T>
T atomic_fetch_add(Context& context, T* dest, T value, int pe) {
  return detail::atomic<transport::AtomicOp::fetch_add>(context, dest, value, T{}, pe);
}
template <class T>
T atomic_fetch_and(Context& context, T* dest, T value, int pe) {
  return detail::atomic<transport::AtomicOp::fetch_and>(context, dest, value, T{}, pe);
}
template <class T>
T atomic_fetch_or(Context& context, T* dest, T value, int pe) {
  return detail::atomic<transport::AtomicOp::fetch_or>(context, dest, value, T{}, pe);
}
template <class T>
T atomic_fetch_xor(Context& context, T* dest, T value, int pe) {
  return detail::atomic<transport::AtomicOp::fetch_xor>(context, dest, value, T{}, pe);
}
template <class T>
void atomic_add(Context& context, T* dest, T value, int pe) {
  detail::atomic<transport::AtomicOp::add>(context, dest, value, T{}, pe);
}
template <class T>
void atomic_and(Context& context, T* dest, T value, int pe) {
  detail::atomic<transport::AtomicOp::bit_and>(context, dest, value, T{}, pe);
}
template <class T>
void atomic_or(Context& context, T* dest, T value, int pe) {
  detail::atomic<transport::AtomicOp::bit_or>(context, dest, value, T{}, pe);
}
template <class T>
void atomic_xor(Context& context, T* dest, T value, int pe) {
  detail::atomic<transport::AtomicOp::bit_xor>(context, dest, value, T{}, pe);
}

template <class T>
void atomic_fetch_nbi(Context& context, T* old, const T* source, int pe) {
  detail::atomic_nbi<transport::AtomicOp::fetch>(context, old, source, T{}, T{}, pe);
}
template <class T>
void atomic_swap_nbi(Context& context, T* old, T* dest, T value, int pe) {
  detail::atomic_nbi<transport::AtomicOp::swap>(context, old, dest, value, T{}, pe);
}
template <class T>
void atomic_compare_swap_nbi(Context& context, T* old, T* dest, T expected, T value, int pe) {
  detail::atomic_nbi<transport::AtomicOp::compare_swap>(context, old, dest, value, expected, pe);
}
template <class T>
void atomic_fetch_add_nbi(Context& context, T* old, T* dest, T value, int pe) {
  detail::atomic_nbi<transport::AtomicOp::fetch_add>(context, old, dest, value, T{}, pe);
}
template <class T>
void atomic_fetch_and_nbi(Context& context, T* old, T* dest, T value, int pe) {
  detail::atomic_nbi<transport::AtomicOp::fetch_and>(context, old, dest, value, T{}, pe);
}
template <class T>
void atomic_fetch_or_nbi(Context& context, T* old, T* dest, T value, int pe) {
  detail::atomic_nbi<transport::AtomicOp::fetch_or>(context, old, dest, value, T{}, pe);
}
template <class T>
void atomic_fetch_xor_nbi(Context& context, T* old, T* dest, T value, int pe) {
  detail::atomic_nbi<transport::AtomicOp::fetch_xor>(context, old, dest, value, T{}, pe);
}

}  // namespace weir::shmem
