// SPDX-License-Identifier: Apache-2.0

// The kernels that are those of libraries: OpenBLAS, with LAPACK, and FFTW.
#include <cblas.h>
#include <fftw3.h>

#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/bddt/problems.hpp"
#include "apps/common/openblas.hpp"

namespace weir::apps::bddt {
namespace {

using FactorFunction = void (*)(const char* triangle, const int* n, double* a, const int* stride, int* info);

// Written by load_kernels() only.
struct Libraries {
  decltype(&cblas_sgemm) sgemm = nullptr;
  decltype(&cblas_dgemm) dgemm = nullptr;
  decltype(&cblas_dsyrk) dsyrk = nullptr;
  decltype(&cblas_dtrsm) dtrsm = nullptr;
  FactorFunction dpotrf = nullptr;
  fftw_plan rows = nullptr;  // of one row, in place
} libraries;

template <class F>
void find(const OpenBlas& blas, const char* name, F& function) {
  function = reinterpret_cast<F>(blas.function(name));
  if (function == nullptr) throw std::runtime_error(std::string("OpenBLAS has no function ") + name);
}

blasint number(std::size_t n) { return static_cast<blasint>(n); }

fftw_complex* fftw(Complex* data) { return reinterpret_cast<fftw_complex*>(data); }

// The rows of an array begin with a page, or with a multiple of 256 bytes after it: as this buffer does.
fftw_plan plan_of(std::size_t length) {
  constexpr std::align_val_t kAlignment{256};
  auto* const row = static_cast<Complex*>(::operator new(length * sizeof(Complex), kAlignment));
  const fftw_plan plan = fftw_plan_dft_1d(static_cast<int>(length), fftw(row), fftw(row), FFTW_FORWARD, FFTW_ESTIMATE);
  ::operator delete(row, kAlignment);
  if (plan == nullptr) throw std::runtime_error("FFTW has no plan for " + std::to_string(length) + " elements");
  return plan;
}

}  // namespace

void load_kernels(std::size_t length) {
  const OpenBlas blas = OpenBlas::load();
  if (!blas.missing.empty()) throw std::runtime_error("OpenBLAS: " + blas.missing);
  find(blas, "cblas_sgemm", libraries.sgemm);
  find(blas, "cblas_dgemm", libraries.dgemm);
  find(blas, "cblas_dsyrk", libraries.dsyrk);
  find(blas, "cblas_dtrsm", libraries.dtrsm);
  find(blas, "dpotrf_", libraries.dpotrf);
  if (length != 0) libraries.rows = plan_of(length);
}

void multiply_tiles(const float* a, const float* b, float* c, std::size_t tile, std::size_t stride) {
  const blasint n = number(tile), ld = number(stride);
  libraries.sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, ld, b, ld, 1, c, ld);
}

void transform_rows(Complex* data, std::size_t rows, std::size_t stride) {
  for (std::size_t r = 0; r < rows; ++r)
    fftw_execute_dft(libraries.rows, fftw(data + r * stride), fftw(data + r * stride));
}

// LAPACK counts by columns: to it the lower triangle of an array of rows is an upper one.
void factor_tile(double* a, std::size_t tile, std::size_t stride) {
  const int n = static_cast<int>(tile), ld = static_cast<int>(stride);
  int info = 0;
  libraries.dpotrf("U", &n, a, &ld, &info);
  if (info != 0) throw std::runtime_error("dpotrf: the matrix is not positive definite");
}

void solve_tile(const double* l, double* a, std::size_t tile, std::size_t stride) {
  const blasint n = number(tile), ld = number(stride);
  libraries.dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, n, 1, l, ld, a, ld);
}

void subtract_square(const double* a, double* c, std::size_t tile, std::size_t stride) {
  const blasint n = number(tile), ld = number(stride);
  libraries.dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, n, -1, a, ld, 1, c, ld);
}

void subtract_product(const double* a, const double* b, double* c, std::size_t tile, std::size_t stride) {
  const blasint n = number(tile), ld = number(stride);
  libraries.dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, -1, a, ld, b, ld, 1, c, ld);
}

std::string check_transform(const Complex* data, std::size_t n) {
  std::vector<Complex> whole(n * n);
  const int side = static_cast<int>(n);
  const fftw_plan plan =
      fftw_plan_dft_2d(side, side, fftw(whole.data()), fftw(whole.data()), FFTW_FORWARD, FFTW_ESTIMATE);
  if (plan == nullptr) return "FFTW has no plan in two dimensions";
  fill_signal(whole.data(), n);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  for (std::size_t i = 0; i < n * n; ++i) {
    if (std::abs(data[i] - whole[i]) < 1e-12 * static_cast<double>(n * n)) continue;
    return "element " + std::to_string(i) + " is not that of FFTW's transform in two dimensions";
  }
  return "";
}

}  // namespace weir::apps::bddt
