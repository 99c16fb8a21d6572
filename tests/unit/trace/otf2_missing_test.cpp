// SPDX-License-Identifier: Apache-2.0

// Where the library was not there at build: asked for, it is an error that names the package.
#include <gtest/gtest.h>

#include "otf2/otf2_file.hpp"

namespace weir::tool::convert {
namespace {

TEST(Otf2, IsAnErrorThatNamesThePackageWhereItWasNotFound) {
  const base::Status status = check_otf2("run.otf2");
  EXPECT_EQ(status.code, base::Code::unsupported);
  EXPECT_NE(status.message.find("libopen-trace-format2-dev"), std::string::npos) << status.message;
}

}  // namespace
}  // namespace weir::tool::convert
