// SPDX-License-Identifier: Apache-2.0

// ObserveLocal: what this layer keeps per worker.
#pragma once

#include <cstdint>

#include "ocr/objects/object_local.hpp"

namespace weir::ocr {

struct ObserveLocal : ObjectLocal {
  using ObjectLocal::ObjectLocal;

  std::uint64_t traced = 0;  // the EDT that began last here, as a trace names it; 0: none, or no trace

 protected:
  ~ObserveLocal() = default;
};

}  // namespace weir::ocr
