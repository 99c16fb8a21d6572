// SPDX-License-Identifier: Apache-2.0

// cblas_dgemm from OpenBLAS, which is loaded when it is first needed (apps/common/openblas.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace weir::apps::matmul {

struct Operand {
  const double* data;
  std::int64_t stride;  // elements, from row to row
};

class Blas {
 public:
  // not_found when there is no libopenblas. The first call is for one thread; later ones for any.
  static base::Result<Blas> load();

  // C = A * B, or C += A * B with `add`; C has rows x cols elements, A rows x inner. Any threads at a time.
  void multiply(std::int64_t rows, std::int64_t cols, std::int64_t inner, Operand a, Operand b, double* c,
                std::int64_t c_stride, bool add) const;

  const std::string& about() const noexcept { return about_; }  // "OpenBLAS 0.3.21, Haswell"

 private:
  Blas(void* dgemm, std::string about) : dgemm_(dgemm), about_(std::move(about)) {}

  void* dgemm_;
  std::string about_;
};

}  // namespace weir::apps::matmul
