// SPDX-License-Identifier: Apache-2.0

#include "apps/common/png.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include "temporary_folder.hpp"

namespace weir::apps {
namespace {

Picture read_png(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << image.message;
  image.format = PNG_FORMAT_RGB;
  Picture picture{static_cast<int>(image.width), static_cast<int>(image.height), {}};
  picture.pixels.resize(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height));
  EXPECT_NE(png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr), 0) << image.message;
  return picture;
}

TEST(Png, WhatIsWrittenReadsBackTheSame) {
  const TemporaryFolder folder;
  const Picture picture{3, 2, {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {255, 0, 0}, {0, 255, 0}, {0, 0, 255}}};
  const std::string path = folder.path() + "/a.png";
  ASSERT_TRUE(write_png(path, picture));
  const Picture back = read_png(path);
  EXPECT_EQ(back.width, 3);
  EXPECT_EQ(back.height, 2);
  EXPECT_EQ(back.pixels, picture.pixels);
}

TEST(Png, AFolderThatIsNotThereIsAnErrorThatNamesTheFile) {
  const auto status = write_png("/nowhere/a.png", {1, 1, {{}}});
  EXPECT_EQ(status.code, base::Code::io_error);
  EXPECT_THAT(status.message, ::testing::HasSubstr("/nowhere/a.png"));
}

}  // namespace
}  // namespace weir::apps
