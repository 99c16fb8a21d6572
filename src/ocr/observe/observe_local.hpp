// SPDX-License-Identifier: Apache-2.0

// ObserveLocal: what this layer keeps per worker.
#pragma once

#include <cstdint>

#include "ocr/objects/object_local.hpp"

namespace weir::ocr {

struct ObserveLocal : ObjectLocal {
  using ObjectLocal::ObjectLocal;

  std::uint64_t traced = 0;      // the EDT that began last here, as a trace names it; 0: none, or no trace
  bool forwards_output = false;  // what it satisfies now is by its end: it holds no blocks any more

 protected:
  ~ObserveLocal() = default;
};

}  // namespace weir::ocr
