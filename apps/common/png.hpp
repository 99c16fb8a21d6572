// SPDX-License-Identifier: Apache-2.0

// Writes PNG files (8-bit RGB) with libpng.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace weir::apps {

struct Rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<Rgb> pixels;  // row by row from the top; width x height
};

// Overwrites `path`; io_error when that fails. To appear only when complete, give it a temporary name.
base::Status write_png(const std::string& path, const Picture& picture);

}  // namespace weir::apps
