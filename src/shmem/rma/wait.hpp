// SPDX-License-Identifier: Apache-2.0

// Waiting for, and testing, words of this PE's own symmetric memory, as shmem_wait_until and its relatives do.
//
// They see what puts, atomics, signals and stores of others write, and what was put before it (with fence()). T:
// integers of 16, 32 or 64 bits. `cmp` is one of shmem.h's SHMEM_CMP_*; another one ends the program. A wait never
// hangs when a PE is lost: the program ends with its name. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "shmem/observe/call.hpp"
#include "shmem/rma/context.hpp"
#include "shmem/rma/polling.hpp"
#include "shmem/world/address.hpp"
#include "shmem/world/waiting.hpp"

namespace weir::shmem {

enum class Comparison : int { eq = 0, ne = 1, gt = 2, le = 3, lt = 4, ge = 5 };  // as in shmem.h

namespace detail {

[[noreturn]] void fail_comparison(int cmp) noexcept;
[[noreturn]] void fail_wait_address(const void* word, std::size_t bytes) noexcept;

template <class T>
bool holds(T value, int cmp, T wanted) noexcept {
  switch (static_cast<Comparison>(cmp)) {
    case Comparison::eq: return value == wanted;
    case Comparison::ne: return value != wanted;
    case Comparison::gt: return value > wanted;
    case Comparison::le: return value <= wanted;
    case Comparison::lt: return value < wanted;
    case Comparison::ge: return value >= wanted;
  }
  fail_comparison(cmp);
}

// ORDER-1: acquire: what was put before the word is seen after it.
template <class T>
T look(const T* word) noexcept {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

template <class T>
void check_words(const T* words, std::size_t n) noexcept {
  if (!is_symmetric(words, n * sizeof(T)) || reinterpret_cast<std::uintptr_t>(words) % sizeof(T) != 0) [[unlikely]]
    fail_wait_address(words, n * sizeof(T));
}

template <class T>
Awaited awaited(const T* words, std::size_t n, int cmp, T wanted) noexcept {
  return {.kind = n == 1 ? Awaited::Kind::word : Awaited::Kind::words,
          .comparison = cmp,
          .bytes = sizeof(T),
          .is_signed = std::is_signed_v<T>,
          .word = words,
          .wanted = static_cast<std::uint64_t>(static_cast<std::int64_t>(wanted)),
          .words = n};
}

}  // namespace detail

// What a test or a wait of several words compares with: one value, or one for each word (the vector forms).
template <class T>
struct Wanted {
  const T* values;
  bool is_vector;
  const T& operator[](std::size_t i) const noexcept { return values[is_vector ? i : 0]; }
};

template <class T>
bool test(const T* word, int cmp, T wanted) {
  detail::check_words(word, 1);
  if (detail::holds(detail::look(word), cmp, wanted)) return true;
  look_was_vain();
  return false;
}

// Returns the value that satisfied it (shmem_signal_wait_until).
template <class T>
T wait_until(const T* word, int cmp, T wanted) {
  detail::check_words(word, 1);
  const Call call(trace::Kind::until, trace::PeUntil::one, {word, sizeof(T)});
  T value = detail::look(word);
  for (Waiting waiting; !detail::holds(value, cmp, wanted); value = detail::look(word))
    waiting.pause(detail::awaited(word, 1, cmp, wanted));
  return value;
}

// Those of `words` whose status is not 0 (or with status null: all) are looked at. status[i] != 0: word i is left out.
template <class T>
struct Words {
  const T* words;
  std::size_t n;
  const int* status;
  bool is_in(std::size_t i) const noexcept { return status == nullptr || status[i] == 0; }
};

// True when all hold; also when there is none to look at.
template <class T>
bool test_all(const Words<T>& words, int cmp, Wanted<T> wanted) {
  if (words.n == 0) return true;
  detail::check_words(words.words, words.n);
  for (std::size_t i = 0; i < words.n; ++i) {
    if (words.is_in(i) && !detail::holds(detail::look(words.words + i), cmp, wanted[i])) {
      look_was_vain();
      return false;
    }
  }
  return true;
}
template <class T>
void wait_until_all(const Words<T>& words, int cmp, Wanted<T> wanted) {
  if (words.n == 0) return;
  detail::check_words(words.words, words.n);
  const Call call(trace::Kind::until, trace::PeUntil::all, {words.words, words.n * sizeof(T)});
  for (std::size_t i = 0; i < words.n; ++i) {
    if (!words.is_in(i)) continue;
    for (Waiting waiting; !detail::holds(detail::look(words.words + i), cmp, wanted[i]);)
      waiting.pause(detail::awaited(words.words + i, 1, cmp, wanted[i]));
  }
}

// Whether `words` has one that is looked at; the waits and tests for some return at once when it has none.
template <class T>
bool has_any(const Words<T>& words) noexcept {
  for (std::size_t i = 0; i < words.n; ++i) {
    if (words.is_in(i)) return true;
  }
  return false;
}

namespace detail {

// One look of test_any() and of a wait. Begins after the one found last by this thread, so that none is forgotten.
template <class T>
std::size_t find_any(const Words<T>& words, int cmp, Wanted<T> wanted) {
  static thread_local std::size_t turn = 0;
  if (words.n == 0) return SIZE_MAX;
  check_words(words.words, words.n);
  const std::size_t first = turn % words.n;
  for (std::size_t k = 0; k < words.n; ++k) {
    const std::size_t i = first + k < words.n ? first + k : first + k - words.n;
    if (words.is_in(i) && holds(look(words.words + i), cmp, wanted[i])) {
      turn = i + 1;
      return i;
    }
  }
  return SIZE_MAX;
}

// One look of test_some() and of a wait.
template <class T>
std::size_t find_some(const Words<T>& words, std::size_t* indices, int cmp, Wanted<T> wanted) {
  if (words.n == 0) return 0;
  check_words(words.words, words.n);
  std::size_t found = 0;
  for (std::size_t i = 0; i < words.n; ++i) {
    if (words.is_in(i) && holds(look(words.words + i), cmp, wanted[i])) indices[found++] = i;
  }
  return found;
}

}  // namespace detail

// The index of one that holds, SIZE_MAX when none does or none is looked at; not always the first.
template <class T>
std::size_t test_any(const Words<T>& words, int cmp, Wanted<T> wanted) {
  const std::size_t found = detail::find_any(words, cmp, wanted);
  if (found == SIZE_MAX && words.n != 0) look_was_vain();
  return found;
}
template <class T>
std::size_t wait_until_any(const Words<T>& words, int cmp, Wanted<T> wanted) {
  if (!has_any(words)) return SIZE_MAX;
  const Call call(trace::Kind::until, trace::PeUntil::any, {words.words, words.n * sizeof(T)});
  std::size_t found = detail::find_any(words, cmp, wanted);
  for (Waiting waiting; found == SIZE_MAX; found = detail::find_any(words, cmp, wanted))
    waiting.pause(detail::awaited(words.words, words.n, cmp, wanted[0]));
  return found;
}

// How many hold, their indices in `indices`.
template <class T>
std::size_t test_some(const Words<T>& words, std::size_t* indices, int cmp, Wanted<T> wanted) {
  const std::size_t found = detail::find_some(words, indices, cmp, wanted);
  if (found == 0 && words.n != 0) look_was_vain();
  return found;
}
// At least one, unless none is looked at.
template <class T>
std::size_t wait_until_some(const Words<T>& words, std::size_t* indices, int cmp, Wanted<T> wanted) {
  if (!has_any(words)) return 0;
  const Call call(trace::Kind::until, trace::PeUntil::some, {words.words, words.n * sizeof(T)});
  std::size_t found = detail::find_some(words, indices, cmp, wanted);
  for (Waiting waiting; found == 0; found = detail::find_some(words, indices, cmp, wanted))
    waiting.pause(detail::awaited(words.words, words.n, cmp, wanted[0]));
  return found;
}

}  // namespace weir::shmem
