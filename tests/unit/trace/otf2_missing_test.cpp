// SPDX-License-Identifier: Apache-2.0

// Where the library was not there at build: asked for, it is an error at the start that names the package.
#include <gtest/gtest.h>

#include "temporary_path.hpp"
#include "weir/weir.hpp"

namespace weir::trace {
namespace {

TEST(Otf2, IsAnErrorThatNamesThePackageWhereItWasNotFound) {
  const TemporaryPath path;
  Options options;
  options.workers = 1;
  options.trace = path.folder() + "/run.otf2";
  try {
    Runtime runtime(options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("libopen-trace-format2-dev"), std::string::npos) << error.what();
  }
  EXPECT_EQ(path.files(), 0);
}

}  // namespace
}  // namespace weir::trace
