// SPDX-License-Identifier: Apache-2.0

#include "apps/matmul/blas.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include "apps/common/openblas.hpp"

namespace weir::apps::matmul {

base::Result<Blas> Blas::load() {
  const OpenBlas library = OpenBlas::load();
  if (!library.missing.empty())
    return base::Status{base::Code::not_found, fmt::format("matmul needs OpenBLAS: {}", library.missing)};
  void* const dgemm = library.function("cblas_dgemm");
  if (dgemm == nullptr) return base::Status{base::Code::not_found, "matmul needs OpenBLAS: it has no cblas_dgemm"};
  return Blas(dgemm, library.about());
}

void Blas::multiply(std::int64_t rows, std::int64_t cols, std::int64_t inner, Operand a, Operand b, double* c,
                    std::int64_t c_stride, bool add) const {
  const auto number = [](std::int64_t n) { return static_cast<blasint>(n); };
  reinterpret_cast<decltype(&cblas_dgemm)>(dgemm_)(CblasRowMajor, CblasNoTrans, CblasNoTrans, number(rows),
                                                   number(cols), number(inner), 1.0, a.data, number(a.stride), b.data,
                                                   number(b.stride), add ? 1.0 : 0.0, c, number(c_stride));
}

}  // namespace weir::apps::matmul
