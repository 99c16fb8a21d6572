// SPDX-License-Identifier: Apache-2.0

#include "apps/bddt/kernels.hpp"

#include <cmath>
#include <utility>

namespace weir::apps::bddt {
namespace {

// The normal distribution by the polynomial that the PARSEC program has, too: Abramowitz and Stegun, 26.2.17.
float normal(float x) {
  const float t = 1.0f / (1.0f + 0.2316419f * std::fabs(x));
  const float sum =
      t * (0.319381530f + t * (-0.356563782f + t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f))));
  const float tail = 0.39894228f * std::exp(-0.5f * x * x) * sum;
  return x < 0 ? tail : 1 - tail;
}

}  // namespace

void price_options(const float* rows, std::size_t stride, float* prices, std::size_t count) {
  const auto row = [&](OptionRow r) { return rows + r * stride; };
  const float *spot = row(kSpot), *strike = row(kStrike), *rate = row(kRate), *volatility = row(kVolatility),
              *years = row(kYears), *kind = row(kKind);
  for (std::size_t i = 0; i < count; ++i) {
    const float spread = volatility[i] * std::sqrt(years[i]);
    const float growth = (rate[i] + 0.5f * volatility[i] * volatility[i]) * years[i];
    const float d1 = (std::log(spot[i] / strike[i]) + growth) / spread;
    const float discounted = strike[i] * std::exp(-rate[i] * years[i]);
    prices[i] = kind[i] * (spot[i] * normal(kind[i] * d1) - discounted * normal(kind[i] * (d1 - spread)));
  }
}

void transpose_tiles(Complex* a, Complex* b, std::size_t tile, std::size_t stride) {
  for (std::size_t r = 0; r < tile; ++r) {
    for (std::size_t c = a == b ? r + 1 : 0; c < tile; ++c) std::swap(a[r * stride + c], b[c * stride + r]);
  }
}

void relax_tile(const float* from, float* __restrict to, std::size_t rows, std::size_t cols, std::size_t stride) {
  for (std::size_t r = 0; r < rows; ++r, from += stride, to += stride) {
    const float *up = from - stride, *down = from + stride;
    for (std::size_t c = 0; c < cols; ++c) to[c] = 0.25f * ((up[c] + down[c]) + (from[c - 1] + from[c + 1]));
  }
}

}  // namespace weir::apps::bddt
