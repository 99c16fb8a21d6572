// SPDX-License-Identifier: Apache-2.0

#include "apps/matmul/blas.hpp"

#include <cblas.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

namespace weir::apps::matmul {
namespace {

using base::Code;
using base::Status;

constexpr const char* kLibrary = "libopenblas.so.0";

std::string call_text(void* library, const char* function) {
  void* const symbol = ::dlsym(library, function);
  return symbol == nullptr ? "unknown" : reinterpret_cast<char* (*)()>(symbol)();
}

// "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
std::string version_of(void* library) {
  std::istringstream words(call_text(library, "openblas_get_config"));
  std::string name, version;
  words >> name >> version;
  return name + " " + version;
}

}  // namespace

base::Result<Blas> Blas::load() {
  ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  void* const dgemm = library == nullptr ? nullptr : ::dlsym(library, "cblas_dgemm");
  if (dgemm == nullptr) {
    return Status{Code::not_found, fmt::format("matmul needs OpenBLAS: {}; install libopenblas0", ::dlerror())};
  }
  if (void* const set = ::dlsym(library, "openblas_set_num_threads")) reinterpret_cast<void (*)(int)>(set)(1);
  return Blas(dgemm, fmt::format("{}, {}", version_of(library), call_text(library, "openblas_get_corename")));
}

void Blas::multiply(std::int64_t rows, std::int64_t cols, std::int64_t inner, Operand a, Operand b, double* c,
                    std::int64_t c_stride, bool add) const {
  const auto number = [](std::int64_t n) { return static_cast<blasint>(n); };
  reinterpret_cast<decltype(&cblas_dgemm)>(dgemm_)(CblasRowMajor, CblasNoTrans, CblasNoTrans, number(rows),
                                                   number(cols), number(inner), 1.0, a.data, number(a.stride), b.data,
                                                   number(b.stride), add ? 1.0 : 0.0, c, number(c_stride));
}

}  // namespace weir::apps::matmul
