// SPDX-License-Identifier: Apache-2.0

// Puts and gets: of single values, of bytes, strided, of blocks with strides, with a signal.
//
// To a PE whose memory is mapped: plain stores and loads, done when the call returns. PEs are those of the world. The
// symmetric side is `dest` of a put and `source` of a get; the other one is any memory. 0 bytes: nothing is looked at.
// Any thread, as the context allows. A lost PE ends the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "shmem/rma/context.hpp"
#include "shmem/world/address.hpp"

namespace weir::shmem {

void put_slow(Context& context, void* dest, const void* source, std::size_t bytes, int pe);
void get_slow(Context& context, void* dest, const void* source, std::size_t bytes, int pe);
void put_nbi_slow(Context& context, void* dest, const void* source, std::size_t bytes, int pe);
void get_nbi_slow(Context& context, void* dest, const void* source, std::size_t bytes, int pe);

namespace detail {

// Words are stored and loaded whole and in order, as programs that poll plain puts expect.
template <class Word>
bool is_word(const void* a, const void* b, std::size_t bytes) noexcept {
  return bytes == sizeof(Word) &&
         ((reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b)) & (sizeof(Word) - 1)) == 0;
}
template <class Word>
void copy_word(void* to, const void* from) noexcept {
  // ORDER-1: release and acquire, so that a wait (wait.hpp) that sees the word sees what was put before it.
  __atomic_store_n(static_cast<Word*>(to), __atomic_load_n(static_cast<const Word*>(from), __ATOMIC_ACQUIRE),
                   __ATOMIC_RELEASE);
}
inline void copy(void* to, const void* from, std::size_t bytes) noexcept {
  if (is_word<std::uint64_t>(to, from, bytes)) {
    copy_word<std::uint64_t>(to, from);
  } else if (is_word<std::uint32_t>(to, from, bytes)) {
    copy_word<std::uint32_t>(to, from);
  } else {
    std::memmove(to, from, bytes);  // a PE may put to itself from where it puts to
  }
}

}  // namespace detail

// shmem_p and shmem_g.
template <class T>
void p(Context& context, T* dest, T value, int pe) {
  if (std::byte* const to = direct(dest, pe); to != nullptr) [[likely]]
    detail::copy(to, &value, sizeof(T));
  else
    put_slow(context, dest, &value, sizeof(T), pe);
}
template <class T>
T g(Context& context, const T* source, int pe) {
  T value;
  if (const std::byte* const from = polled_source(source, pe); from != nullptr) [[likely]]
    detail::copy(&value, from, sizeof(T));
  else
    get_slow(context, &value, source, sizeof(T), pe);
  return value;
}

// The source may be used again when it returns.
inline void put(Context& context, void* dest, const void* source, std::size_t bytes, int pe) {
  if (bytes == 0) [[unlikely]]
    return;
  if (std::byte* const to = direct(dest, bytes, pe); to != nullptr) [[likely]]
    detail::copy(to, source, bytes);
  else
    put_slow(context, dest, source, bytes, pe);
}
// The bytes are there when it returns.
inline void get(Context& context, void* dest, const void* source, std::size_t bytes, int pe) {
  if (bytes == 0) [[unlikely]]
    return;
  if (const std::byte* const from = polled_source(source, bytes, pe); from != nullptr) [[likely]]
    detail::copy(dest, from, bytes);
  else
    get_slow(context, dest, source, bytes, pe);
}
// Done after quiet() of the context.
inline void put_nbi(Context& context, void* dest, const void* source, std::size_t bytes, int pe) {
  if (bytes == 0) [[unlikely]]
    return;
  if (std::byte* const to = direct(dest, bytes, pe); to != nullptr) [[likely]]
    detail::copy(to, source, bytes);
  else
    put_nbi_slow(context, dest, source, bytes, pe);
}
inline void get_nbi(Context& context, void* dest, const void* source, std::size_t bytes, int pe) {
  if (bytes == 0) [[unlikely]]
    return;
  if (const std::byte* const from = direct_source(source, bytes, pe); from != nullptr) [[likely]]
    detail::copy(dest, from, bytes);
  else
    get_nbi_slow(context, dest, source, bytes, pe);
}

// Elements or blocks of elements with a distance from each one's start to the next one's, all in elements (shmem_iput,
// shmem_ibput ...). All that is reached must lie in symmetric memory; distances may be 0 or negative.
struct Strides {
  std::ptrdiff_t dest = 1, source = 1;
  std::size_t block = 1;    // elements that lie together
  std::size_t count = 0;    // blocks
  std::size_t element = 1;  // bytes of an element
};
void iput(Context& context, void* dest, const void* source, const Strides& strides, int pe);
void iget(Context& context, void* dest, const void* source, const Strides& strides, int pe);

enum class SignalOp : int { set, add };  // as in shmem.h

// The signal is seen at the PE after the data, and orders nothing else. 0 bytes: the signal alone. Ends the program for
// another `op`.
struct Signal {
  std::uint64_t* word = nullptr;
  std::uint64_t value = 0;
  SignalOp op = SignalOp::set;
};
void put_signal(Context& context, void* dest, const void* source, std::size_t bytes, const Signal& signal, int pe);
void put_signal_nbi(Context& context, void* dest, const void* source, std::size_t bytes, const Signal& signal, int pe);
void send_signal(Context& context, const Signal& signal, int pe);  // shmem_signal_set, shmem_signal_add
std::uint64_t signal_fetch(const std::uint64_t* word);             // of this PE's own

}  // namespace weir::shmem
