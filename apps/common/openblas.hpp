// SPDX-License-Identifier: Apache-2.0

// OpenBLAS, loaded when it is first needed and without threads of its own.
//
// It starts its threads when it is loaded, which no program should pay for that does not use it, and can be told not to
// only before. The core it is tuned for is its own choice, or that of OPENBLAS_CORETYPE. The first call is for one
// thread.
#pragma once

#include <string>

namespace weir::apps {

struct OpenBlas {
  void* library = nullptr;  // null: there is none
  std::string missing;      // why, and what to install

  static OpenBlas load();
  // Null when it has no function of that name.
  void* function(const char* name) const;
  std::string about() const;  // "OpenBLAS 0.3.21, Haswell"
};

}  // namespace weir::apps
