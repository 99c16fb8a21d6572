// SPDX-License-Identifier: Apache-2.0

// Reads 2-D arrays of numbers from .npy files (NumPy's format, versions 1 to 3).
//
// Accepted: little-endian float32 or float64, C order, two dimensions. Anything else is one clear failure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace weir::apps {

struct NpyShape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  int bytes_per_number = 8;  // in the file
};

struct NpyArray {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<float> values;  // rows x cols; float64 is rounded
};

// Reads the header and checks that the file is as long as it says. not_found, io_error or bad_input; the message
// names the file. Enough to judge whether the array fits in memory.
base::Result<NpyShape> read_npy_shape(const std::string& path);

// The whole file; the same failures.
base::Result<NpyArray> read_npy(const std::string& path);

}  // namespace weir::apps
