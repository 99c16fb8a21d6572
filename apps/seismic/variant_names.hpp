// SPDX-License-Identifier: Apache-2.0

// The names of variants(), for who offers them and does not run them.
#pragma once

namespace weir::apps::seismic {

inline constexpr const char* kVariantNames[] = {"serial",     "openmp",      "tbb",       "weir-plain", "weir",
                                                "weir-bands", "weir-blocks", "ocr-plain", "ocr"};

}  // namespace weir::apps::seismic
