// SPDX-License-Identifier: Apache-2.0

// The work of the tasks, on plain memory: compiled once, the same machine code under every runtime.
//
// Any threads at a time, but load_kernels(), which comes first, on one thread, and before processes are forked.
#pragma once

#include <complex>
#include <cstddef>

namespace weir::apps::bddt {

using Complex = std::complex<double>;

// OpenBLAS, LAPACK and FFTW, for transforms of `length`; 0: none. Throws std::runtime_error for what is missing.
void load_kernels(std::size_t length);

// Rows of the options' array, each of them a number of every option.
enum OptionRow : std::size_t { kSpot, kStrike, kRate, kVolatility, kYears, kKind, kOptionRows };

// Black-Scholes prices of `count` European options; the rows are `stride` numbers apart. kind: 1 for a call, -1 for a
// put.
void price_options(const float* rows, std::size_t stride, float* prices, std::size_t count);

// C += A B, squares of `tile`, rows `stride` numbers apart.
void multiply_tiles(const float* a, const float* b, float* c, std::size_t tile, std::size_t stride);

// Each of `rows` rows becomes its Fourier transform, in place.
void transform_rows(Complex* data, std::size_t rows, std::size_t stride);
// Two tiles change places, each transposed; a == b: one on the diagonal.
void transpose_tiles(Complex* a, Complex* b, std::size_t tile, std::size_t stride);

// Each cell becomes the mean of its four neighbours' old values. There is a cell around the tile on every side.
void relax_tile(const float* from, float* to, std::size_t rows, std::size_t cols, std::size_t stride);

// The steps of a right-looking Cholesky factorisation A = L L^T, in the lower triangle.
void factor_tile(double* a, std::size_t tile, std::size_t stride);                                         // a = L of a
void solve_tile(const double* l, double* a, std::size_t tile, std::size_t stride);                         // a = a L^-T
void subtract_square(const double* a, double* c, std::size_t tile, std::size_t stride);                    // c -= a a^T
void subtract_product(const double* a, const double* b, double* c, std::size_t tile, std::size_t stride);  // c -= a b^T

}  // namespace weir::apps::bddt
