// SPDX-License-Identifier: Apache-2.0

#include "apps/bddt/problems.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace weir::apps::bddt {
namespace {

// A number for every index, the same on every machine.
std::uint32_t mixed(std::size_t index) {
  std::uint64_t x = index * 0x9E3779B97F4A7C15u + 0x632BE59BD9B4E019u;
  x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9u;
  return static_cast<std::uint32_t>(x >> 32);
}
// In [0, 1).
double fraction(std::size_t index) { return mixed(index) * 0x1p-32; }

std::string wrong(const char* what, std::size_t where, double is, double should) {
  return std::string(what) + " " + std::to_string(where) + " is " + std::to_string(is) + " where it should be " +
         std::to_string(should);
}

double exact_normal(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double exact_price(const float* rows, std::size_t n, std::size_t i) {
  const auto of = [&](OptionRow r) { return static_cast<double>(rows[r * n + i]); };
  const double spread = of(kVolatility) * std::sqrt(of(kYears));
  const double d1 = (std::log(of(kSpot) / of(kStrike)) + of(kRate) * of(kYears)) / spread + spread / 2;
  const double discounted = of(kStrike) * std::exp(-of(kRate) * of(kYears));
  return of(kKind) * (of(kSpot) * exact_normal(of(kKind) * d1) - discounted * exact_normal(of(kKind) * (d1 - spread)));
}

// The wave has so many half periods in either direction: about eight cells to a half period.
std::size_t half_periods(std::size_t n) { return std::max<std::size_t>((n - 1) / 8, 1); }
std::vector<double> sines(std::size_t n) {
  std::vector<double> values(n);
  const double step = std::numbers::pi * static_cast<double>(half_periods(n)) / static_cast<double>(n - 1);
  for (std::size_t i = 1; i + 1 < n; ++i) values[i] = std::sin(step * static_cast<double>(i));
  return values;
}

double definite(std::size_t row, std::size_t col, std::size_t n) {
  const double distance = row > col ? static_cast<double>(row - col) : static_cast<double>(col - row);
  return 1 / (1 + distance) + (row == col ? 0.01 * static_cast<double>(n) : 0);
}

// No element is zero: each element of a matrix counts.
std::vector<double> test_vector(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = (mixed(i) & 1) != 0 ? 1 : -2;
  return x;
}

std::vector<double> times(const float* matrix, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  for (std::size_t r = 0; r < x.size(); ++r)
    for (std::size_t c = 0; c < x.size(); ++c) y[r] += static_cast<double>(matrix[r * x.size() + c]) * x[c];
  return y;
}

// L (L^T x)
std::vector<double> times_factor(const double* l, const std::vector<double>& x) {
  const std::size_t n = x.size();
  std::vector<double> turned(n), y(n);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c <= r; ++c) turned[c] += l[r * n + c] * x[r];
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c <= r; ++c) y[r] += l[r * n + c] * turned[c];
  return y;
}

}  // namespace

void fill_options(float* rows, std::size_t n) {
  const auto put = [&](OptionRow row, std::size_t i, double value) { rows[row * n + i] = static_cast<float>(value); };
  for (std::size_t i = 0; i < n; ++i) {
    put(kSpot, i, 50 + 100 * fraction(6 * i));
    put(kStrike, i, 50 + 100 * fraction(6 * i + 1));
    put(kRate, i, 0.01 + 0.09 * fraction(6 * i + 2));
    put(kVolatility, i, 0.1 + 0.5 * fraction(6 * i + 3));
    put(kYears, i, 0.1 + 2 * fraction(6 * i + 4));
    put(kKind, i, fraction(6 * i + 5) < 0.5 ? 1 : -1);
  }
}

std::string check_prices(const float* rows, const float* prices, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double exact = exact_price(rows, n, i);
    if (!(std::abs(prices[i] - exact) < 2e-3)) return wrong("price", i, prices[i], exact);
  }
  return "";
}

void fill_factors(float* a, float* b, std::size_t n) {
  for (std::size_t i = 0; i < n * n; ++i) {
    a[i] = static_cast<float>(mixed(2 * i) % 7) - 3;
    b[i] = static_cast<float>(mixed(2 * i + 1) % 5) - 2;
  }
}

std::string check_product(const float* a, const float* b, const float* c, std::size_t n) {
  const std::vector<double> x = test_vector(n), is = times(c, x), should = times(a, times(b, x));
  for (std::size_t r = 0; r < n; ++r)
    if (is[r] != should[r]) return wrong("row", r, is[r], should[r]);
  return "";
}

void fill_signal(Complex* data, std::size_t n) {
  for (std::size_t i = 0; i < n * n; ++i) data[i] = {fraction(2 * i) - 0.5, fraction(2 * i + 1) - 0.5};
}

void fill_wave(float* data, std::size_t n) {
  const std::vector<double> sine = sines(n);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c) data[r * n + c] = static_cast<float>(sine[r] * sine[c]);
}

std::string check_wave(const float* data, std::size_t n, std::size_t iterations) {
  const std::vector<double> sine = sines(n);
  const double step = std::numbers::pi * static_cast<double>(half_periods(n)) / static_cast<double>(n - 1);
  const double left = std::pow(std::cos(step), static_cast<double>(iterations));
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) {
      const double exact = left * sine[r] * sine[c];
      if (!(std::abs(data[r * n + c] - exact) < 1e-5)) return wrong("cell", r * n + c, data[r * n + c], exact);
    }
  }
  return "";
}

void fill_definite(double* a, std::size_t n) {
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c) a[r * n + c] = definite(r, c, n);
}

std::string check_factor(const double* l, std::size_t n) {
  const std::vector<double> x = test_vector(n), is = times_factor(l, x);
  for (std::size_t r = 0; r < n; ++r) {
    double should = 0;
    for (std::size_t c = 0; c < n; ++c) should += definite(r, c, n) * x[c];
    if (!(std::abs(is[r] - should) < 1e-9 * static_cast<double>(n))) return wrong("row", r, is[r], should);
  }
  return "";
}

}  // namespace weir::apps::bddt
