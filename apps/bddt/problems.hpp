// SPDX-License-Identifier: Apache-2.0

// What the five programs compute on, and whether the result is right: "" or what is wrong with it. The arrays are those
// of the programs, n x n and row-major where nothing else is said. One thread.
#pragma once

#include <cstddef>
#include <string>

#include "apps/bddt/kernels.hpp"

namespace weir::apps::bddt {

// kOptionRows x n. Every price is computed again, in double precision with the error function.
void fill_options(float* rows, std::size_t n);
std::string check_prices(const float* rows, const float* prices, std::size_t n);

// Small whole numbers, so that all sums are exact: C x is A (B x).
void fill_factors(float* a, float* b, std::size_t n);
std::string check_product(const float* a, const float* b, const float* c, std::size_t n);

// Compared with FFTW's own transform in two dimensions.
void fill_signal(Complex* data, std::size_t n);
std::string check_transform(const Complex* data, std::size_t n);

// A product of sines: every step multiplies it by a known number, and the rim stays zero.
void fill_wave(float* data, std::size_t n);
std::string check_wave(const float* data, std::size_t n, std::size_t iterations);

// Symmetric and positive definite; L (L^T x) is A x.
void fill_definite(double* a, std::size_t n);
std::string check_factor(const double* l, std::size_t n);

}  // namespace weir::apps::bddt
