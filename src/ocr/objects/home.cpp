// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/home.hpp"

namespace weir::ocr::detail {

constinit Homes homes;

}  // namespace weir::ocr::detail
