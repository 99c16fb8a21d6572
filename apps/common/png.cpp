// SPDX-License-Identifier: Apache-2.0

#include "apps/common/png.hpp"

#include <fmt/format.h>
#include <png.h>

#include <cerrno>
#include <cstring>

namespace weir::apps {

static_assert(sizeof(Rgb) == 3, "pixels are given to libpng as they are");

base::Status write_png(const std::string& path, const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  errno = 0;
  const int written = png_image_write_to_file(&image, path.c_str(), 0, picture.pixels.data(), 0, nullptr);
  if (written != 0) return base::Status::success();
  return {base::Code::io_error,
          fmt::format("{}: cannot be written: {}", path, errno != 0 ? std::strerror(errno) : image.message)};
}

}  // namespace weir::apps
