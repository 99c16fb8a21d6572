// SPDX-License-Identifier: Apache-2.0

#include "apps/common/openblas.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <sstream>

namespace weir::apps {
namespace {

constexpr const char* kLibrary = "libopenblas.so.0";

std::string call_text(const OpenBlas& blas, const char* name) {
  void* const symbol = blas.function(name);
  return symbol == nullptr ? "unknown" : reinterpret_cast<char* (*)()>(symbol)();
}

}  // namespace

OpenBlas OpenBlas::load() {
  ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
  OpenBlas blas;
  blas.library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (blas.library == nullptr) {
    const char* const error = ::dlerror();
    blas.missing = std::string(error == nullptr ? kLibrary : error) + "; install libopenblas0";
  } else if (void* const set = blas.function("openblas_set_num_threads")) {
    reinterpret_cast<void (*)(int)>(set)(1);
  }
  return blas;
}

void* OpenBlas::function(const char* name) const { return library == nullptr ? nullptr : ::dlsym(library, name); }

std::string OpenBlas::about() const {
  std::istringstream words(call_text(*this, "openblas_get_config"));  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  std::string name, version;
  words >> name >> version;
  return name + " " + version + ", " + call_text(*this, "openblas_get_corename");
}

}  // namespace weir::apps
