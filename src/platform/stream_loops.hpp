// SPDX-License-Identifier: Apache-2.0

// The loops of stream_kernels.hpp over a vector type V; included once per instruction set, by a file that is compiled
// for it. V lives in that file's unnamed namespace, so no two files share a loop.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "platform/stream_kernels.hpp"

namespace weir::platform {

// V: kWidth, Value, load(p), load_unaligned(bytes), set(x), add(x, y), mul(x, y), store<non_temporal>(p, x),
// first_sum(x), fence().
template <class V, bool kNonTemporal>
struct LoopsOver {
  static constexpr std::size_t kSteps = kStreamBlock / V::kWidth;

  template <class Body>
  [[gnu::always_inline]] static inline void each(double* target, std::size_t count, Body body) {
    for (std::size_t i = 0; i < count; i += kStreamBlock) {
      for (std::size_t k = 0; k < kSteps; ++k) {
        const std::size_t at = i + k * V::kWidth;
        V::template store<kNonTemporal>(target + at, body(at));
      }
    }
    if constexpr (kNonTemporal) V::fence();
  }

  static void copy(double* a, double*, double* c, double, std::size_t count) {
    each(c, count, [a](std::size_t i) { return V::load(a + i); });
  }
  static void scale(double*, double* b, double* c, double s, std::size_t count) {
    const auto factor = V::set(s);
    each(b, count, [c, factor](std::size_t i) { return V::mul(factor, V::load(c + i)); });
  }
  static void add(double* a, double* b, double* c, double, std::size_t count) {
    each(c, count, [a, b](std::size_t i) { return V::add(V::load(a + i), V::load(b + i)); });
  }
  static void triad(double* a, double* b, double* c, double s, std::size_t count) {
    const auto factor = V::set(s);
    each(a, count, [b, c, factor](std::size_t i) { return V::add(V::load(b + i), V::mul(factor, V::load(c + i))); });
  }
  static void fill(double* a, double*, double*, double s, std::size_t count) {
    const auto value = V::set(s);
    each(a, count, [value](std::size_t) { return value; });
  }

  static constexpr StreamLoops table() { return {copy, scale, add, triad, fill}; }
};

template <class V>
double sum_over(const double* a, std::size_t count) {
  constexpr std::size_t kSteps = kStreamBlock / V::kWidth;
  typename V::Value sums[kSteps];
  for (auto& sum : sums) sum = V::set(0);
  for (std::size_t i = 0; i < count; i += kStreamBlock) {
    for (std::size_t k = 0; k < kSteps; ++k) sums[k] = V::add(sums[k], V::load(a + i + k * V::kWidth));
  }
  double total = 0;
  for (const auto& sum : sums) total += V::total(sum);
  return total;
}

template <class V>
void copy_bytes_over(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kVector = sizeof(typename V::Value);
  constexpr std::size_t kStep = kStreamBlock * sizeof(double);
  // To a boundary that aligns every store, and fills whole cache lines one after another.
  const std::size_t head = std::min(-reinterpret_cast<std::uintptr_t>(to) % kStreamAlignment, bytes);
  std::memcpy(to, from, head);
  std::size_t at = head;
  for (; bytes - at >= kStep; at += kStep) {
    for (std::size_t k = 0; k < kStep; k += kVector) {
      V::template store<true>(reinterpret_cast<double*>(to + at + k), V::load_unaligned(from + at + k));
    }
  }
  V::fence();
  std::memcpy(to + at, from + at, bytes - at);
}

template <class V>
constexpr StreamKernels kernels_over(const char* instructions, bool has_non_temporal) {
  return {instructions, has_non_temporal,  LoopsOver<V, false>::table(), LoopsOver<V, true>::table(),
          sum_over<V>,  copy_bytes_over<V>};
}

}  // namespace weir::platform
